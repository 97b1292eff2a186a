# Survival cases as R's survival package has them (Therneau): log-rank tests (survdiff), Cox models
# (coxph, ties by Efron) and Kaplan-Meier curves (survfit). On standard input a line per case, `rho
# alpha arms n n ... time time ...`, a time with a minus sign being censored; -1 for rho skips the
# test. On standard output a line per case: chi-square, expected events per arm, log hazard ratio and
# standard error of the first two arms, then time, survival, error and interval of every point of
# the second arm's curve.
suppressMessages(library(survival))
options(warn = -1)

# survdiff takes times for ties that differ by less than 1e-8 of them and refuses to be told not to;
# ranks say the same without.
log_rank <- function(time, event, arm, rho, arms) {
    rank <- match(time, sort(unique(time)))
    tryCatch({
        fit <- survdiff(Surv(rank, event) ~ arm, rho = rho)
        c(fit$chisq, if (rho == 0) fit$exp else rep(NA, arms))
    }, error = function(e) rep(NA, 1 + arms))
}

cox <- function(time, event, arm) {
    tryCatch({
        fit <- coxph.fit(matrix(as.numeric(arm == 2)), Surv(time, event), NULL, NULL, NULL,
                         coxph.control(eps = 1e-14, iter.max = 60, timefix = FALSE), NULL, "efron", NULL)
        c(fit$coefficients, sqrt(fit$var[1, 1]))
    }, error = function(e) c(NA, NA))
}

curve <- function(time, event, alpha) {
    fit <- survfit(Surv(time, event) ~ 1, conf.type = "plain", conf.int = 1 - alpha, timefix = FALSE)
    at <- fit$n.event > 0
    as.vector(rbind(fit$time[at], fit$surv[at], (fit$std.err * fit$surv)[at], fit$lower[at], fit$upper[at]))
}

for (line in readLines(file("stdin"))) {
    words <- strsplit(line, " ", fixed = TRUE)[[1]]
    rho <- as.numeric(words[1])
    alpha <- as.numeric(words[2])
    arms <- as.integer(words[3])
    sizes <- as.integer(words[3 + seq_len(arms)])
    times <- words[-seq_len(3 + arms)]
    event <- substr(times, 1, 1) != "-"
    time <- as.numeric(sub("^-", "", times))
    arm <- rep(seq_len(arms), sizes)
    two <- arm <= 2
    chi <- if (rho < 0) rep(NA, 1 + arms) else log_rank(time, event, arm, rho, arms)
    numbers <- c(chi, cox(time[two], event[two], arm[two]), curve(time[arm == 2], event[arm == 2], alpha))
    cat(sprintf("%.17g", numbers), "\n")
}
