# Prints what the processes of a stack have logged. Sourced by nginx/stack.
#
# A line of ours is a JSON object (common/base/log.h): timestamp, level, logger, message, and fields, among them
# request_id and trace_id. Other programs (nginx, multiwatch, a library that complains) write lines of their own; with
# --level they count as ERROR when they name one, else as INFO.

readonly log_levels='DEBUG INFO WARNING ERROR CRITICAL'

read_log_option() {
    [[ $command == logs ]] || fail "unknown option $1"
    (($# > 1)) && [[ -n $2 ]] || fail "$1 needs a value"
    case $1 in
        --service) [[ -z $log_name ]] || fail "unexpected argument $2"; log_name=$2 ;;
        --request) log_request=$2 ;;
        --level)
            log_level=${2^^}
            [[ " $log_levels " == *" $log_level "* ]] || fail "--level must be one of $log_levels, not \"$2\""
            ;;
    esac
}

# The lines of standard input that have the level of $log_level or above, and the request or trace $log_request.
filter_logs() {
    jq --unbuffered -R -r --arg level "$log_level" --arg request "$log_request" --arg levels "$log_levels" '
        ($levels | split(" ")) as $all
        | . as $line
        | (try fromjson catch null) as $parsed
        | (if ($parsed | type) == "object" then $parsed else {} end) as $entry
        | ($entry.level // $entry.severity //
           (if test("\\[(emerg|alert|crit)\\]|CRITICAL") then "CRITICAL" elif test("\\[error\\]|ERROR|rror:") then "ERROR"
            elif test("\\[warn\\]|WARNING") then "WARNING" else "INFO" end)) as $own
        | select($level == "" or (($all | index($own)) // 1) >= ($all | index($level)))
        | select($request == "" or ([$entry | .. | strings] | index($request)))
        | $line' 2>/dev/null
}

command_logs() {
    local files=("$dir"/log/"$log_name"*.log) lines=50
    ((${#files[@]} > 0)) || fail "no log of \"$log_name\" in $dir/log"
    if [[ -z $log_level && -z $log_request ]]; then
        if ((follow)); then exec tail -n 50 -F "${files[@]}"; else exec tail -n 50 "${files[@]}"; fi
    fi
    command -v jq >/dev/null || fail 'not installed: jq'
    [[ -z $log_request ]] || lines=+1
    if ((follow)); then
        tail -q -n "$lines" -F "${files[@]}" 2>/dev/null | filter_logs
    else
        tail -q -n +1 "${files[@]}" | filter_logs | tail -n 1000
    fi
}
