/* Words of grammar in English. */
#include "livedata/query/tokens.h"

const struct grammar_phrase grammar_phrases[] = {
    {GRAMMAR_FILLER,
     "a|an|the|of|for|on|at|me|us|my|our|we|i|you|please|can|could|would|tell|tell me|show|show me|"
     "give|give me|list|list of|display|find|get|see|i want to see|i want|i would like to see|"
     "i would like|i d like|want|need|know|i want to know|i need|what|what s|which|who|whose|where|"
     "that|these|those|there|there are|there is|are there|is there|were there|was there|any|all|"
     "only|do|does|did|it|its|they|them|their|s|now|right now|currently|current|at the moment|"
     "so far|in total|altogether|overall|all time|of all time|ever|record|records|row|rows|entry|"
     "entries|ones|everything|details|details of|detail|info|information|information "
     "about|data|about|we have|"
     "do we have|have we|you have|exist|exists|then|just|let me see|let me know|look up|fetch|"
     "return|print|been|being|as they are now|still|already|anything|came in|come in|coming in|"
     "came|happened|occurred|took place"},
    {GRAMMAR_IS, "is|are|was|were|be|has been|have been|had been"},
    {GRAMMAR_COUNT, "how many|number of|numbers of|count|count of|total number of|the number of|"
                    "total count of|amount of rows"},
    {GRAMMAR_HOW_MUCH, "how much"},
    {GRAMMAR_SUM, "together|all together|taken together|sum|sum of|total|total of|the total|sum "
                  "up|summed|combined|in sum"},
    {GRAMMAR_AVERAGE, "average|avg|mean|on average|averaged|average of|mean of"},
    {GRAMMAR_MIN, "minimum|min|lowest|smallest|least|minimal"},
    {GRAMMAR_MAX, "maximum|max|highest|largest|biggest|greatest|peak|maximal"},
    {GRAMMAR_MEDIAN, "median|median of"},
    {GRAMMAR_PERCENTILE, "percentile|th percentile|st percentile|nd percentile|rd percentile|"
                         "percentile of|th percentile of"},
    {GRAMMAR_DISTINCT, "distinct|different|unique"},
    {GRAMMAR_TOP, "top"},
    {GRAMMAR_BOTTOM, "bottom"},
    {GRAMMAR_MOST, "most|most often|most frequently"},
    {GRAMMAR_FEWEST, "fewest|least often|least frequently"},
    {GRAMMAR_LATEST, "latest|newest|most recent|last|most recently"},
    {GRAMMAR_EARLIEST, "earliest|oldest|first"},
    {GRAMMAR_PER, "per|for each|for every|in each|in every|at each|at every|each|every|grouped by|"
                  "group by|grouped per|broken down by|split by|by each|by every|of each|"
                  "of every|breakdown by|broken down per|for each of the"},
    {GRAMMAR_BY, "by"},
    {GRAMMAR_SORTED, "sorted by|ordered by|sort by|order by|in order of|ranked by|sort them by|"
                     "order them by"},
    {GRAMMAR_ASCENDING, "ascending|in ascending order|lowest first|smallest first|oldest first|"
                        "earliest first|asc|from lowest to highest|cheapest first"},
    {GRAMMAR_DESCENDING, "descending|in descending order|highest first|largest first|newest first|"
                         "latest first|desc|from highest to lowest|most first|biggest first"},
    {GRAMMAR_ABOVE, "above|over|more than|greater than|larger than|higher than|bigger than|"
                    "exceeding|exceeds|exceed|exceeded|in excess of|longer than|>"},
    {GRAMMAR_AT_LEAST, "at least|not less than|no less than|no fewer than|not below|not under|"
                       ">=|≥|greater than or equal to|minimum of|a minimum of"},
    {GRAMMAR_BELOW, "below|under|less than|lower than|smaller than|fewer than|shorter than|<"},
    {GRAMMAR_AT_MOST, "at most|not more than|no more than|not above|not over|up to|<=|≤|"
                      "less than or equal to|a maximum of"},
    {GRAMMAR_OR_MORE, "or more|or higher|or above|and more|and above|or greater|or over|or longer"},
    {GRAMMAR_OR_LESS, "or less|or lower|or below|or fewer|and below|or under|and less"},
    {GRAMMAR_EQUAL, "equal to|equals|equal|exactly|=|==|is equal to|of exactly"},
    {GRAMMAR_UNEQUAL, "!=|<>|≠|not equal to|other than|different from|unequal to|is not equal to"},
    {GRAMMAR_NOT, "not|non|never|except|except for|excluding|but not|apart from|everywhere but|"
                  "all but|outside of"},
    {GRAMMAR_NOT_ALL, "not only|not just|not all|not the only|not all of|not all the|never only"},
    {GRAMMAR_BETWEEN, "between"},
    {GRAMMAR_FROM, "from"},
    {GRAMMAR_TO, "to"},
    {GRAMMAR_AND, "and|as well as"},
    {GRAMMAR_OR, "or"},
    {GRAMMAR_IN, "in|inside|one of|any of|in one of|within|during"},
    {GRAMMAR_CONTAINS, "contains|containing|contain|includes|include|like|with the word|matching|"
                       "that contains|with the text|contains the word|containing the word|"
                       "contains the text|has the word"},
    {GRAMMAR_WITHOUT, "without|with no|without any|without a|has no|have no|having no|had no|"
                      "lacking|lack|lacks|that have no|that has no|do not have|do not have a|"
                      "does not have|does not have a|do not have any|without an|with missing"},
    {GRAMMAR_WITH, "with|having|has|have|had|that have|which have|that has"},
    {GRAMMAR_MISSING, "missing|empty|unknown|unset|null|is null|not known|blank|not set|"
                      "not given|not recorded"},
    {GRAMMAR_NAMED, "named|called|by the name of|with the name"},
    {GRAMMAR_TRUE, "true|yes"},
    {GRAMMAR_FALSE, "false|no"},
    {GRAMMAR_COMPARED,
     "compared to|compared with|in comparison with|in comparison to|versus|vs|than|against|"
     "as compared to|as compared with|compare to|compare with|as opposed to"},
    {GRAMMAR_UNIT, "hour|day|week|month"},
    {GRAMMAR_HOW, "how is|how are|how was|how were|how has|how have|how did|how do|how does"},
    {GRAMMAR_CHANGE, "change|changed|go up|gone up|going up|went up|go down|gone down|going down|"
                     "went down|rise|risen|rising|rose|fall|fallen|falling|fell|grow|grown|growing|"
                     "grew|increase|increased|decrease|decreased|drop|dropped"},
    {GRAMMAR_USE, "use|uses|used|consume|consumes|consumed|eat|eats|draw|draws|make|makes|made|"
                  "produce|produces|produced|take|takes|took|get|gets|got|bring|brings|brought"},
};
const size_t grammar_phrase_count = sizeof grammar_phrases / sizeof grammar_phrases[0];
