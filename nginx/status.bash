# What runs of a stack, with memory and restarts. Sourced by nginx/stack.

# Exit status as in the Linux Standard Base: 0 runs, 1 runs in part, 3 does not run.
command_status() {
    local pool alive=0 dead=0 leftover
    [[ -d $dir ]] || { echo "nothing runs in $dir"; exit 3; }
    recall_services
    status_line PIECE PID WORKERS MEMORY RESTARTS
    if [[ -e $dir/conf/nginx.conf ]]; then
        status_nginx && alive=$((alive + 1)) || dead=$((dead + 1))
    fi
    for pool in "${pools[@]}"; do
        status_pool "$pool" && alive=$((alive + 1)) || dead=$((dead + 1))
    done
    for pool in "${programs[@]}"; do
        status_program "$pool" && alive=$((alive + 1)) || dead=$((dead + 1))
    done
    if ((dead == 0)); then
        (read_settings again && print_addresses)
        exit 0
    fi
    leftover=$(list_members | xargs)
    ((alive > 0)) || [[ -n $leftover ]] || exit 3
    echo "only parts are running (processes: $leftover); stop and start, or reload, mends that"
    exit 1
}

status_line() { printf '%-30s %8s %9s %10s %9s\n' "$@"; }

# Memory that is freed when process and children end: shared pages count in proportion.
memory_of() {
    local pid file files=()
    for pid in "$@"; do file=/proc/$pid/smaps_rollup; [[ ! -r $file ]] || files+=("$file"); done
    ((${#files[@]} > 0)) || return 0
    awk '/^Pss:/ { sum += $2 } END { printf "%.1f MB", sum / 1024 }' "${files[@]}" 2>/dev/null
}

status_nginx() {
    find_nginx || { status_line nginx - - - dead; return 1; }
    list_children "$nginx_pid"
    status_line nginx "$nginx_pid" "${#children[@]}" "$(memory_of "$nginx_pid" "${children[@]}")" -
}

status_pool() {
    local pool=$1 master wanted
    find_pool "$pool" || { status_line "$pool" - - - dead; return 1; }
    master=$(state_of "$pool" multiwatch) wanted=$(state_of "$pool" workers)
    list_children "${master:-0}"
    status_line "$pool" "$pool_pid" "${#children[@]}/${wanted:-?}" \
        "$(memory_of "$pool_pid" "${master:-0}" "${children[@]}")" "$(count_restarts "$pool")"
    ((${#children[@]} > 0 && ${#children[@]} == ${wanted:-0}))
}

# A program that waits for its restart is no reason to restart the others.
status_program() {
    local group=$1 child
    find_pool "$group" || { status_line "$group" - - - dead; return 1; }
    child=$(state_of "$group" child)
    read_start_time "${child:-0}" || child=0
    status_line "$group" "$pool_pid" "$((child > 0))/1" "$(memory_of "$pool_pid" "$child")" \
        "$(state_of "$group" restarts)"
}

# multiwatch writes a line for each worker it replaces; counts those since the pool started, or all lines if
# the file was rotated since.
count_restarts() {
    local log=$dir/log/$1.log begin size
    begin=$(state_of "$1" log_begin)
    size=$(stat -c %s "$log" 2>/dev/null) || return 0
    ((size >= ${begin:-0})) || begin=0
    tail -c "+$((${begin:-0} + 1))" "$log" | grep -c '^Spawning child\|^Child\['
}
