# The processes of a stack: identifies them, waits for them, ends them. Sourced by nginx/stack. A process id
# alone is not sufficient, because the system may have reused it.

# Sleeps without a process: this pipe is never written.
exec {nothing}<> <(:)
pause() { read -r -t "$1" -u "$nothing" || return 0; }

# Sets $start_time of a process (clock ticks since boot); false if it has ended or is a zombie.
read_start_time() {
    local stat='' fields
    { read -r -d '' stat <"/proc/$1/stat"; } 2>/dev/null
    [[ -n $stat ]] || return 1
    read -r -a fields <<<"${stat##*) }"
    [[ ${fields[0]} != [ZX] ]] || return 1
    start_time=${fields[19]}
}

# Sets $pool_pid if the pool's supervisor runs and is the one started by this stack.
find_pool() {
    local recorded
    pool_pid=0
    { read -r pool_pid recorded <"$dir/run/$1.pid"; } 2>/dev/null
    [[ $pool_pid =~ ^[0-9]+$ ]] && read_start_time "$pool_pid" &&
        [[ $start_time == "$recorded" ]] &&
        grep -qzxF -- "ASSAY_STACK=$dir" "/proc/$pool_pid/environ" 2>/dev/null && return
    pool_pid=0
    return 1
}

# Sets $nginx_pid if the master process runs; its title holds the command line we gave it.
find_nginx() {
    nginx_pid=0
    { read -r nginx_pid <"$dir/run/nginx.pid"; } 2>/dev/null || return 1
    [[ $nginx_pid =~ ^[0-9]+$ ]] && read_start_time "$nginx_pid" && is_our_nginx "$nginx_pid"
}

# Workers have no arguments in their title; like the master they have the log open.
is_our_nginx() {
    local title
    read_title "$1"
    [[ $title == 'nginx: '* ]] || return 1
    [[ $title == *" -p $dir/ "* || -n $(list_log_holders "$1") ]]
}

# Sets $title of a process; empty if it has ended.
read_title() {
    title=''
    { read -r -d '' title <"/proc/$1/cmdline"; } 2>/dev/null
    return 0
}

# The given processes that have our nginx.log open, also after it was renamed.
list_log_holders() {
    local folders=("${@/#//proc/}")
    (($# == 0)) || find "${folders[@]/%//fd}" -maxdepth 1 -lname "$dir/log/nginx.log*" 2>/dev/null | cut -d/ -f3 | sort -u
}

# Every process of this stack, also those whose parent has ended.
list_members() {
    local pid title others=()
    grep -lzxF -- "ASSAY_STACK=$dir" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3
    for pid in $(grep -lza '^nginx: ' /proc/[0-9]*/cmdline 2>/dev/null | cut -d/ -f3); do
        read_title "$pid"
        if [[ $title == *" -p $dir/ "* ]]; then echo "$pid"; else others+=("$pid"); fi
    done
    list_log_holders "${others[@]}"
    return 0
}

# Sets $children of process $1.
list_children() {
    children=()
    { read -r -a children <"/proc/$1/task/$1/children"; } 2>/dev/null
    return 0
}

# Waits up to $2 seconds until process $1, started at $3, has ended.
wait_gone() {
    local end=$((SECONDS + $2 + 1))
    while read_start_time "$1" && [[ $start_time == "$3" ]]; do
        ((SECONDS < end)) || return 1
        pause 0.02
    done
}

# Ends process $1: each further pair is a signal and the seconds to wait before the next one.
end_process() {
    local pid=$1 begun
    read_start_time "$pid" || return 0
    begun=$start_time
    shift
    while (($# > 0)); do
        kill "-$1" "$pid" 2>/dev/null || return 0
        wait_gone "$pid" "$2" "$begun" && return 0
        shift 2
    done
    return 1
}

list_living() {
    local pid
    for pid in "$@"; do ! read_start_time "$pid" || echo "$pid"; done
}

# Signals all processes that `$3...` lists, repeatedly, until the list is empty or $2 seconds have passed. A
# worker may miss the first signal while it is starting or about to accept.
end_listed() {
    local signal=$1 end=$((SECONDS + $2)) pids
    shift 2
    while pids=$("$@") && [[ -n $pids ]]; do
        ((SECONDS <= end)) || return 1
        # shellcheck disable=SC2086
        kill "-$signal" $pids 2>/dev/null
        pause 0.1
    done
}

# Ends processes without a pid file: workers whose supervisor was killed, an incompletely started stack.
end_members() {
    end_listed TERM 3 list_members || end_listed KILL 3 list_members
}

# The workers of a pool whose supervisor was killed: they still serve requests, unsupervised.
list_orphans() {
    local supervisor
    { read -r supervisor _ <"$dir/run/$1.pid"; } 2>/dev/null || return 0
    grep -lzx -- "ASSAY_GENERATION=$supervisor\.[0-9]*" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3
    return 0 # grep reports processes that end meanwhile
}

# Between fork and exec a new pool is not recognizable: its process id is stored in `launched`.
declare -A launched=()
start_pool() {
    local pool=$1 pid
    rm -f "$dir/run/$pool.state"
    (
        cd "$dir" || exit
        exec env -i "PATH=$PATH" "ASSAY_STACK=$dir" "ASSAY_STOP_SECONDS=$stop_seconds" \
            setsid spawn-fcgi -n -s "run/$pool.sock" -M 0660 -b "$(backlog_of "$pool")" -- \
            "$here/pool" "$pool" "$build/fcgi-bin/$pool"
    ) </dev/null >>"$dir/log/$pool.log" 2>&1 {lock}<&- {nothing}<&- &
    note_launched "$pool" $!
}

# The kernel accepts one connection more than the backlog.
backlog_of() { echo $((pool_waiting[$1] > 1 ? pool_waiting[$1] - 1 : 0)); }

start_program() {
    local group=$1 words
    read -r -a words <<<"${program_command[$group]}"
    (
        cd "$dir" || exit
        exec env -i "PATH=$PATH" "ASSAY_STACK=$dir" "ASSAY_STOP_SECONDS=$stop_seconds" \
            setsid "$here/supervisor" "$group" "$build/cron-bin/${words[0]}" "${words[@]:1}"
    ) </dev/null >>"$dir/log/$group.log" 2>&1 {lock}<&- {nothing}<&- &
    note_launched "$group" $!
}

note_launched() {
    launched[$1]=$2
    read_start_time "$2" && echo "$2 $start_time" >"$dir/run/$1.pid"
}

start_nginx() {
    (cd "$dir" && exec env -i "PATH=$PATH" nginx -p "$dir/" -c conf/nginx.conf -e log/nginx.log \
        {lock}<&- {nothing}<&-)
}

stop_nginx() {
    find_nginx || return 0
    end_process "$nginx_pid" QUIT "$stop_seconds" TERM 2 KILL 2
}

# Sets $groups to the pools and programs that were started, regardless of the current table.
list_groups() {
    local file
    groups=()
    for file in "$dir"/run/*.pid; do
        file=${file##*/}
        [[ $file == nginx.pid ]] || groups+=("${file%.pid}")
    done
}

# Ends all named process groups in parallel, so that the slowest one determines the duration.
stop_groups() {
    local pool pid
    local -A begun=()
    for pool in "$@"; do
        find_pool "$pool" || continue
        begun[$pool_pid]=$start_time
        kill -TERM "$pool_pid" 2>/dev/null
    done
    for pid in "${!begun[@]}"; do
        wait_gone "$pid" $((stop_seconds + 2)) "${begun[$pid]}" || kill -KILL "$pid" 2>/dev/null
    done
}

# Prints the pid of the process that listens on a port, if this user may see it.
port_owner() {
    local port inode pid
    printf -v port '%04X' "$1"
    for inode in $(awk -v port=":$port" \
        '$4 == "0A" && substr($2, length($2) - 4) == port { print $10 }' /proc/net/tcp /proc/net/tcp6 2>/dev/null); do
        for pid in /proc/[0-9]*; do
            if find "$pid/fd" -lname "socket:\[$inode\]" 2>/dev/null | grep -q .; then
                echo "${pid#/proc/}"
                return
            fi
        done
    done
}

# Checks for a listener by connecting; nginx itself reports addresses that it cannot bind.
port_taken() { (exec {probe}<>"/dev/tcp/$1/$2") 2>/dev/null; }
