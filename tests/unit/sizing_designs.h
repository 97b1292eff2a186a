/* The designs that the sizing tests start from. */
#ifndef ASSAY_SIZING_DESIGNS_H
#define ASSAY_SIZING_DESIGNS_H

#include "experiments/design/sizing.h"
#include "test.h"

static double even_split[10] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

static inline struct number_list split_evenly(size_t variants)
{
    return (struct number_list){.count = variants, .items = even_split};
}

/* A rate of 4.2 % to be lifted by 5 %, 7200 users a day. */
static inline struct sizing_request binary_design(void)
{
    return (struct sizing_request){
        .metric_type = METRIC_BINARY,
        .baseline_value = 0.042,
        .mde_pct = 5,
        .planned_test = -1,
        .alpha = 0.05,
        .power = 0.8,
        .expected_daily_traffic = 12000,
        .audience_share_in_test = 0.6,
        .traffic_split = split_evenly(2),
        .variants_count = 2,
        .n_looks = 1,
        .credibility = 0.95,
    };
}

/* A mean of 100 with standard deviation 20 to be moved by 5 %, 1000 users a day. */
static inline struct sizing_request continuous_design(void)
{
    struct sizing_request request = binary_design();

    request.metric_type = METRIC_CONTINUOUS;
    request.baseline_value = 100;
    request.std_dev = GIVEN_NUMBER(20);
    request.expected_daily_traffic = 1000;
    request.audience_share_in_test = 1;
    return request;
}

static inline struct sizing_request count_design(void)
{
    struct sizing_request request = binary_design();

    request.metric_type = METRIC_COUNT;
    request.baseline_value = 0.3;
    request.mde_pct = 20;
    return request;
}

static inline struct sizing_plan plan_of(const struct sizing_request *request)
{
    struct sizing_plan plan;
    struct problem problem = {0};
    enum error error = sizing_plan_design(request, &plan, &problem);

    CHECK_INT(error, ERROR_NONE);
    if (error)
        printf("%s: %s\n", problem.reason, problem.text);
    return plan;
}

#endif
