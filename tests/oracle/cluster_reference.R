# Cluster-robust comparisons as R's clubSandwich package has them (Pustejovsky): CR2 with Satterthwaite
# degrees of freedom. On standard input a line per case: `clusters rows covariates squares`, then the lists
# of clusters, arms, weights and totals, and each covariate. A row of a whole weight becomes as many users, if not too many.
# On standard output a line per case: effect, standard error, degrees of freedom and p of the arm, then the
# same of the first covariate.
suppressMessages(library(clubSandwich))
options(warn = -1)

for (line in readLines(file("stdin"))) {
    numbers <- as.numeric(strsplit(line, " ", fixed = TRUE)[[1]])
    rows <- numbers[1]
    covariates <- numbers[2]
    lists <- matrix(numbers[-(1:2)], nrow = rows)
    whole <- all(lists[, 3] == round(lists[, 3])) && sum(lists[, 3]) < 5000
    if (whole) {
        lists[, 4] <- lists[, 4] / lists[, 3]
        lists <- lists[rep(seq_len(rows), lists[, 3]), , drop = FALSE]
        lists[, 3] <- 1
    }
    x <- lists[, c(2, 4 + seq_len(covariates)), drop = FALSE]
    colnames(x) <- paste0("c", seq_len(ncol(x)))
    weight <- lists[, 3]
    y <- lists[, 4] / weight
    fit <- if (whole) lm(y ~ x) else lm(y ~ x, weights = weight)
    v <- vcovCR(fit, cluster = lists[, 1], type = "CR2", inverse_var = !whole)
    test <- as.data.frame(coef_test(fit, vcov = v, test = "Satterthwaite"))
    row <- function(i) if (i <= nrow(test)) c(test$beta[i], test$SE[i], test$df_Satt[i], test$p_Satt[i]) else rep(NA, 4)
    cat(sprintf("%.17g", c(row(2), row(3))), "\n")
}
