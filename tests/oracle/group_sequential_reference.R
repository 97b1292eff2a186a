# The cases of group_sequential_test.py through rpact: a line of numbers in, a line out.
#   design   sides alpha power kind parameter futility kind parameter count fractions
#   estimate the same plan, count, users of each look of the plan, looks made, their z
#   ahead    the same, effect, then users of the looks to come
suppressMessages(library(rpact))

kinds <- c("asOF", "asP", "asKD", "asHSD")
beta_kinds <- c("bsOF", "bsP", "bsKD", "bsHSD")

design_of <- function(plan, fractions) {
    arguments <- list(kMax = length(fractions), informationRates = fractions, sided = plan[1], alpha = plan[2],
        beta = 1 - plan[3], typeOfDesign = kinds[plan[4] + 1], tolerance = 1e-09)
    if (plan[4] >= 2) arguments$gammaA <- plan[5]
    if (plan[6] > 0) {
        arguments$typeBetaSpending <- beta_kinds[plan[7] + 1]
        arguments$bindingFutility <- plan[6] == 1
        if (plan[7] >= 2) arguments$gammaB <- plan[8]
    }
    suppressWarnings(do.call(getDesignGroupSequential, arguments))
}

answer_design <- function(a) {
    fractions <- a[10:(9 + a[9])]
    design <- design_of(a, fractions)
    characteristics <- getDesignCharacteristics(design)
    futility <- if (a[6] > 0) design$futilityBounds else rep(-Inf, length(fractions) - 1)
    c(sqrt(characteristics$shift), characteristics$inflationFactor, design$criticalValues, futility, design$alphaSpent)
}

data_of <- function(users, z) {
    made <- seq_along(z)
    getDataset(cumulativeSampleSizes = users[made], cumulativeMeans = z / sqrt(users[made]),
        cumulativeStDevs = rep(1, length(z)))
}

answer_estimate <- function(a) {
    count <- a[9]
    users <- a[10:(9 + count)]
    made <- a[10 + count]
    z <- a[(11 + count):(10 + count + made)]
    design <- design_of(a, users / users[count])
    stages <- getStageResults(design, dataInput = data_of(users, z), stage = made, normalApproximation = TRUE)
    interval <- suppressMessages(getFinalConfidenceInterval(design, data_of(users, z), normalApproximation = TRUE))
    repeated <- getRepeatedConfidenceIntervals(design, data_of(users, z), normalApproximation = TRUE, stage = made)
    root <- sqrt(users[count]) # effects of one standard deviation as drifts
    c(getFinalPValue(stages)$pFinal[1], root * interval$finalConfidenceInterval, root * interval$medianUnbiased,
        getRepeatedPValues(stages)[made], root * repeated[, made])
}

answer_ahead <- function(a) {
    count <- a[9]
    users <- a[10:(9 + count)]
    made <- a[10 + count]
    z <- a[(11 + count):(10 + count + made)]
    effect <- a[11 + count + made]
    design <- design_of(a, users / users[count])
    stages <- getStageResults(design, dataInput = data_of(users, z), stage = made, normalApproximation = TRUE)
    power <- getConditionalPower(stages, nPlanned = diff(users)[made:(count - 1)], thetaH1 = effect / sqrt(users[count]),
        assumedStDev = 1)
    tail(as.vector(power$conditionalPower), 1)
}

answers <- list(design = answer_design, estimate = answer_estimate, ahead = answer_ahead)
lines <- readLines(file("stdin"))
for (line in lines) {
    words <- strsplit(line, " ")[[1]]
    invisible(capture.output(numbers <- tryCatch(suppressMessages(suppressWarnings(answers[[words[1]]](as.numeric(words[-1])))),
        error = function(e) NA_real_)))
    cat(sprintf("%.15g", numbers), "\n")
}
