# Dunnett's law as R's multcomp has it (Hothorn, Bretz and Westfall; the integrals are Genz' in mvtnorm). On
# standard input a line per case: `alpha two_sided groups n... value...`, the control first. On standard
# output a line per case: t, adjusted p, lower and upper end of the simultaneous interval of each treatment.
suppressMessages(library(multcomp))
options(warn = -1)
set.seed(1)

for (line in readLines(file("stdin"))) {
    numbers <- as.numeric(strsplit(line, " ", fixed = TRUE)[[1]])
    groups <- numbers[3]
    sizes <- numbers[3 + seq_len(groups)]
    g <- factor(rep(seq_len(groups), sizes))
    y <- numbers[-seq_len(3 + groups)]
    test <- glht(aov(y ~ g), linfct = mcp(g = "Dunnett"), alternative = if (numbers[2]) "two.sided" else "greater")
    found <- summary(test, test = adjusted("single-step", maxpts = 50000, abseps = 1e-4))$test
    ends <- confint(test, level = 1 - numbers[1], maxpts = 50000, abseps = 1e-4)$confint
    cat(sprintf("%.17g", rbind(found$tstat, found$pvalues, ends[, "lwr"], ends[, "upr"])), "\n")
}
