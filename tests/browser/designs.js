/* A design that tests of running experiments start from. */
export const designOf = (name) => ({
    project: { project_name: name, domain: 'e-commerce', product_type: 'web shop', platform: 'web', market: 'DE', project_description: '' },
    hypothesis: {
        change_description: 'Larger button',
        target_audience: 'Visitors',
        business_problem: 'Abandoned carts',
        hypothesis_statement: 'A larger button is found sooner',
        what_to_validate: 'Conversion',
        desired_result: 'More orders',
    },
    setup: {
        experiment_type: 'ab',
        randomization_unit: 'user',
        traffic_split: [50, 50],
        expected_daily_traffic: 20000,
        audience_share_in_test: 1,
        variants_count: 2,
        inclusion_criteria: '',
        exclusion_criteria: '',
    },
    metrics: { primary_metric_name: 'purchase', metric_type: 'binary', baseline_value: 0.2, mde_pct: 20, alpha: 0.05, power: 0.8 },
    constraints: {
        seasonality_present: false,
        active_campaigns_present: false,
        returning_users_present: true,
        interference_risk: '',
        technical_constraints: '',
        legal_or_ethics_constraints: '',
        known_risks: '',
        deadline_pressure: '',
        long_test_possible: true,
    },
});
