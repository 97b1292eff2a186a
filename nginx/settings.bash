# Settings of a stack: the file assay.env, overridden by the environment, with checks; and the environment of
# the responders. Sourced by nginx/stack. Does not depend on processes.

declare -A setting=()       # every setting by name
declare -A given=()         # those from the environment
declare -A service_port=() service_health=() service_rest=() # no port: only below the portal
declare -A service_prefix=() # where the portal shows it: /support
declare -A service_name=()  # SERVICE ROLE => the service's name of that setting
declare -A pool_workers=() pool_waiting=() pool_seconds=() # by pool, which is SERVICE-FAMILY
declare -A program_service=() program_command=() program_condition=() program_port=() # by process group
services=() pools=() programs=() family_rows=() error_rows=()
concurrent_pools=() # those that serve requests side by side

# Reads nginx/services, the table of services, families and programs.
read_services() {
    local kind rest line=0
    while read -r kind rest; do
        line=$((line + 1))
        case $kind in
            '' | '#'*) ;;
            service) read_service_row $rest ;;
            family) read_family_row "$rest" ;;
            program) read_program_row $rest ;;
            error) error_rows+=("$rest") ;;
            *) fail "$here/services:$line: a row begins with service, family, error or program" ;;
        esac
    done <"$here/services"
    note_every_service
}

read_service_row() {
    local name=$1 role
    services+=("$name")
    service_port[$name]=${2#-} service_health[$name]=$3 service_prefix[$name]=/$name
    shift 3
    for role in "$@"; do
        if [[ $role == prefix=* ]]; then
            service_prefix[$name]=${role#prefix=}
        else
            service_name[$name ${role%%=*}]=${role#*=}
        fi
    done
}

# Sets $stream and $waiting from the words before the paths, and $paths to the rest.
read_family_options() {
    stream=0 waiting=1024 paths=$1
    while [[ $paths =~ ^(stream|waiting=([0-9]+))\ +(.*)$ ]]; do
        paths=${BASH_REMATCH[3]}
        if [[ -n ${BASH_REMATCH[2]} ]]; then waiting=${BASH_REMATCH[2]}; else stream=1; fi
    done
}

read_family_row() {
    local service family workers body seconds paths stream waiting pool
    read -r service family workers body seconds paths <<<"$1"
    read_family_options "$paths"
    pool=$service-$family
    family_rows+=("$1")
    if [[ -z ${pool_workers[$pool]:-} ]]; then
        pools+=("$pool")
        pool_workers[$pool]=$workers pool_waiting[$pool]=$waiting pool_seconds[$pool]=0
    fi
    [[ " $paths " != *' * '* ]] || service_rest[$service]=$pool
}

# A program is named like a pool, by its service and its own name.
read_program_row() {
    local service=$1 name=$2 group=$1-${2#"$1-"}
    [[ -z ${program_service[$group]:-} && -z ${pool_workers[$group]:-} ]] ||
        fail "$here/services has two process groups called $group"
    programs+=("$group")
    program_service[$group]=$service
    shift
    if [[ ${2:-} == if=* ]]; then
        program_condition[$group]=${2#if=}
        set -- "$1" "${@:3}"
    fi
    if [[ ${2:-} == port=* ]]; then
        program_port[$group]=${2#port=}
        set -- "$1" "${@:3}"
    fi
    program_command[$group]="$*"
}

# Whether one of the settings of SETTING|SETTING is given.
is_one_given() {
    local name
    for name in ${1//|/ }; do [[ -z ${setting[$name]:-} ]] || return 0; done
    return 1
}

# Drops the programs whose setting is not given.
drop_unwanted_programs() {
    local group kept=()
    for group in "${programs[@]}"; do
        [[ -v program_condition[$group] ]] && ! is_one_given "${program_condition[$group]}" || kept+=("$group")
    done
    programs=("${kept[@]}")
}

# Keeps the rows of the selected services: the setting ASSAY_SERVICES, all of them if it is not set.
select_services() {
    local name wanted=" ${setting[ASSAY_SERVICES]:-} " row kept
    [[ $wanted == *[![:space:]]* ]] || return 0
    for name in $wanted; do
        [[ " ${services[*]} " == *" $name "* ]] ||
            fail "there is no service \"$name\"; there is: ${services[*]}"
    done
    wanted+='accounts ' # people sign in to whatever runs
    kept=()
    for name in "${services[@]}"; do [[ $wanted != *" $name "* ]] || kept+=("$name"); done
    services=("${kept[@]}") kept=()
    for row in "${family_rows[@]}"; do [[ $wanted != *" ${row%% *} "* ]] || kept+=("$row"); done
    family_rows=("${kept[@]}") kept=()
    for name in "${pools[@]}"; do [[ $wanted != *" ${name%%-*} "* ]] || kept+=("$name"); done
    pools=("${kept[@]}") kept=()
    for name in "${programs[@]}"; do
        [[ $wanted != *" ${program_service[$name]} "* ]] || kept+=("$name")
    done
    programs=("${kept[@]}")
}

# The value of a service's setting for ROLE, or DEFAULT: service_setting SERVICE ROLE DEFAULT.
service_setting() {
    local name=${service_name[$1 $2]:-}
    [[ -z $name ]] && printf '%s' "$3" || printf '%s' "${setting[$name]:-$3}"
}

# KEY=VALUE lines. Single or double quotes around a value are removed; nothing is expanded or run.
read_settings_file() {
    local file=$1 line number=0 name value
    [[ -e $file ]] || return 0
    [[ -r $file ]] || fail "cannot read $file"
    while IFS= read -r line || [[ -n $line ]]; do
        number=$((number + 1))
        line=${line%$'\r'}
        [[ $line =~ ^[[:space:]]*(#|$) ]] && continue
        [[ $line =~ ^[[:space:]]*(export[[:space:]]+)?([A-Za-z_][A-Za-z0-9_]*)=(.*)$ ]] ||
            fail "$file:$number: expected NAME=VALUE"
        name=${BASH_REMATCH[2]} value=${BASH_REMATCH[3]}
        value=${value%"${value##*[![:space:]]}"}
        case $value in
            \"*\") ((${#value} >= 2)) && value=${value:1:-1} ;;
            \'*\') ((${#value} >= 2)) && value=${value:1:-1} ;;
            \"* | \'*) fail "$file:$number: the quote is not closed" ;;
        esac
        setting[$name]=$value
    done <"$file"
}

# Whether this variable of the caller's environment is for the stack, for any of its services.
is_setting_name() {
    case $1 in
        ASSAY_STACK | ASSAY_GENERATION | ASSAY_POOL_*) return 1 ;;
        ASSAY_* | *SAN_OPTIONS | LLVM_PROFILE_FILE | GCOV_PREFIX* | MALLOC_*) return 0 ;;
        LANG | LC_* | TZ | HOME | TMPDIR | SSL_CERT_FILE | SSL_CERT_DIR) return 0 ;;
        https_proxy | http_proxy | no_proxy | HTTPS_PROXY | NO_PROXY) return 0 ;;
    esac
    [[ -v setting[$1] ]]
}

read_settings_environment() {
    local name
    while read -r name; do
        is_setting_name "$name" && given[$name]=${!name}
    done < <(compgen -e)
    for name in "${!given[@]}"; do setting[$name]=${given[$name]}; done
}

# The settings of a service are those that its program lists.
read_service_settings() {
    local service program name
    for service in "${services[@]}"; do
        program=$build/fcgi-bin/${service_rest[$service]}
        [[ -x $program ]] || continue # reported at its start
        while read -r name; do
            known_names[$name]=1
            [[ ! -v $name ]] || given[$name]=${!name} setting[$name]=${!name}
        done < <(describe_settings "${service_rest[$service]}")
    done
}

# Values from the environment at `start` remain in force at `reload`, whoever calls it.
remember_environment() {
    local name
    for name in "${!given[@]}"; do printf '%s=%s\0' "$name" "${given[$name]}"; done |
        write_private run/environment
}

# With `same` only the selection of services.
recall_environment() {
    local entry
    [[ -r $dir/run/environment ]] || return 0
    while IFS= read -r -d '' entry; do
        [[ $1 == again || $entry == ASSAY_SERVICES=* ]] || continue
        given[${entry%%=*}]=${entry#*=}
    done <"$dir/run/environment"
}

# The services and programs that were started, regardless of the current settings.
recall_services() {
    { read -r 'setting[ASSAY_SERVICES]' <"$dir/run/services"; } 2>/dev/null || return 0
    select_services
    unset 'setting[ASSAY_SERVICES]'
    { read -r -a programs <"$dir/run/programs"; } 2>/dev/null || true
}

# Writes standard input to a file of the stack that only its owner can read.
write_private() { (umask 077 && cat >"$dir/$1.new" && mv "$dir/$1.new" "$dir/$1"); }

# Sets $number to setting $1, an integer in $3..$4, or to $2 if it is not set.
number_setting() {
    number=${setting[$1]:-$2}
    [[ $number =~ ^[0-9]{1,10}$ ]] && ((10#$number >= $3 && 10#$number <= $4)) ||
        fail "$1 must be a whole number between $3 and $4, not \"$number\""
    number=$((10#$number))
}

# Sets $flag to 1 or 0 from setting $1, default $2.
flag_setting() {
    local value=${setting[$1]:-$2}
    case ${value,,} in
        1 | true | yes | on) flag=1 ;;
        0 | false | no | off) flag=0 ;;
        *) fail "$1 must be true or false, not \"$value\"" ;;
    esac
}

# An address or a port is copied into the configuration of nginx, so it must be valid.
check_address() {
    [[ $2 =~ ^[0-9A-Za-z.-]+$ || $2 =~ ^[0-9A-Fa-f:.]+$ ]] || fail "$1 must be an address, not \"$2\""
}

# Sets the listen addresses of the portal and each service: $service_bind, $service_port, $portal_bind,
# $portal_port.
declare -A service_bind=()
resolve_addresses() {
    local service name
    portal_bind=${setting[ASSAY_BIND]:-127.0.0.1}
    check_address ASSAY_BIND "$portal_bind"
    number_setting ASSAY_PORT_PORTAL 8080 1 65535
    portal_port=$number
    for service in "${services[@]}"; do
        has_port "$service" || continue
        name=ASSAY_PORT_${service^^}
        [[ -n ${setting[$name]:-} ]] || name=${service_name[$service port]:-$name}
        number_setting "$name" "${service_port[$service]}" 1 65535
        service_port[$service]=$number
        service_bind[$service]=${setting[ASSAY_BIND]:-$(service_setting "$service" host 127.0.0.1)}
        check_address "${service_name[$service host]:-ASSAY_BIND}" "${service_bind[$service]}"
    done
    refuse_equal_ports
    for service in portal "${services[@]}"; do check_origin "ASSAY_ORIGIN_${service^^}"; done
}

check_origin() {
    local url=${setting[$1]:-}
    [[ -z $url || $url =~ ^https?://[0-9A-Za-z.-]+(:[0-9]+)?$ ||
        $url =~ ^https?://\[[0-9A-Fa-f:.]+\](:[0-9]+)?$ ]] ||
        fail "$1 must be like https://host or https://host:port, not \"$url\""
}

refuse_equal_ports() {
    local service other
    for service in "${services[@]}"; do
        has_port "$service" || continue
        ((service_port[$service] != portal_port)) ||
            fail "the portal and $service cannot both have port $portal_port"
        for other in "${services[@]}"; do
            [[ $service == "$other" || ${service_port[$service]} != "${service_port[$other]}" ]] ||
                fail "$service and $other cannot both have port ${service_port[$service]}"
        done
    done
}

# Sets $seconds, the longest answer of a row: a number, or a setting's value with a margin, but at least the
# number after the colon.
answer_seconds() {
    local wanted=${setting[${1%%:*}]:-0}
    seconds=${1##*:}
    [[ $1 == *:* && ${wanted%%.*} =~ ^[0-9]{1,5}$ ]] || return 0
    wanted=$((10#${wanted%%.*} + 10))
    ((wanted <= seconds)) || seconds=$wanted
}

resolve_seconds() {
    local row service family seconds pool
    for row in "${family_rows[@]}"; do
        read -r service family _ _ seconds _ <<<"$row"
        pool=$service-$family
        answer_seconds "$seconds"
        ((seconds <= pool_seconds[$pool])) || pool_seconds[$pool]=$seconds
    done
}

resolve_workers() {
    local pool hot name cores
    cores=$(nproc)
    ((cores > 1)) || cores=2 # one serves while the other starts
    number_setting ASSAY_WORKERS $((2 * $(nproc))) 1 256
    hot=$number
    for pool in "${pools[@]}"; do
        [[ ${pool_workers[$pool]} != hot ]] || pool_workers[$pool]=$hot
        if [[ ${pool_workers[$pool]} == cores ]]; then pool_workers[$pool]=$cores && concurrent_pools+=("$pool"); fi
        name=ASSAY_WORKERS_${pool^^}
        number_setting "${name//-/_}" "${pool_workers[$pool]}" 1 256
        pool_workers[$pool]=$number
    done
}

# HOST in the form of an address: IPv6 in brackets.
bracketed() { if [[ $1 == *:* ]]; then printf '[%s]' "$1"; else printf '%s' "$1"; fi; }

# The address at which this machine reaches a listener bound to $1.
reachable() {
    case $1 in
        0.0.0.0 | '*') printf '127.0.0.1' ;;
        :: | ::0) printf '[::1]' ;;
        *) bracketed "$1" ;;
    esac
}

has_port() { [[ -n ${service_port[$1]} ]]; }

# Where this machine reaches a service: its port, or below the portal.
service_url() {
    if has_port "$1"; then
        printf 'http://%s:%s' "$(reachable "${service_bind[$1]}")" "${service_port[$1]}"
    else
        printf '%s%s' "$(portal_url)" "${service_prefix[$1]}"
    fi
}

# The public address: set it if there is a proxy or a host name in front.
public_url() {
    local name=ASSAY_ORIGIN_${1^^}
    if has_port "$1"; then
        printf '%s' "${setting[$name]:-$(service_url "$1")}"
    else
        public_portal_url
    fi
}
is_local_url() { [[ $1 =~ ^https?://(localhost|127\.[0-9.]+|\[::1\])(:[0-9]+)?$ ]]; }
# Without the brackets of IPv6 and without the port.
host_of_url() {
    local host=${1#*://}
    if [[ $host == \[* ]]; then host=${host#\[} host=${host%%]*}; else host=${host%:*}; fi
    printf '%s' "$host"
}
portal_url() { printf 'http://%s:%s' "$(reachable "$portal_bind")" "$portal_port"; }
public_portal_url() { printf '%s' "${setting[ASSAY_ORIGIN_PORTAL]:-$(portal_url)}"; }

# Sets $commit to the commit of the checkout, empty if unknown.
read_commit() {
    [[ ! -v commit ]] || return 0
    commit=$(cat "$checkout/COMMIT" 2>/dev/null || git -C "$checkout" rev-parse --short=12 HEAD 2>/dev/null)
}

# Adds the values that the stack sets for a service's responders, unless the settings give them.
complete_settings() {
    local service=$1 ui=${service_name[$1 ui]:-} build_name=${service_name[$1 build]:-}
    responder_setting=()
    local name
    for name in "${!setting[@]}"; do responder_setting[$name]=${setting[$name]}; done
    responder_setting[PATH]=$PATH
    responder_setting[ASSAY_STACK]=$dir
    responder_setting[ASSAY_RUN_DIR]=$dir/run
    responder_setting[ASSAY_STATE_DIR]=$dir/state
    responder_setting[ASSAY_OPENAPI_FILE]=$dir/run/$service-openapi.json
    : "${responder_setting[ASSAY_LOCALES_DIR]:=$checkout/locales}"
    : "${responder_setting[ASSAY_SQL_DIR]:=$checkout/sql}"
    [[ -z $ui ]] || : "${responder_setting[$ui]:=$checkout/static/$service}"
    # The actual address: with ASSAY_BIND it differs from the service's own setting.
    name=${service_name[$1 host]:-}
    [[ -z $name || -z ${service_bind[$1]:-} ]] || responder_setting[$name]=${service_bind[$1]}
    # Behind a proxy every client can reach a listener on loopback.
    [[ -z $name ]] || is_local_url "$(public_url "$1")" || responder_setting[$name]=$(host_of_url "$(public_url "$1")")
    if [[ -n $build_name && -z ${responder_setting[$build_name]:-} ]] && read_commit && [[ -n $commit ]]; then
        responder_setting[$build_name]=$commit
    fi
}
declare -A responder_setting=()

# Runs a command with exactly the environment of the service's responders.
with_responder_environment() {
    local entry
    for entry in $(compgen -e); do unset "$entry" 2>/dev/null; done
    for entry in "${!responder_setting[@]}"; do export "$entry=${responder_setting[$entry]}"; done
    cd "$dir" && exec "$@"
}

# Runs a command with the settings of a program that belongs to a service.
with_program_environment() {
    complete_settings "$1"
    shift
    unset 'responder_setting[ASSAY_STACK]' # not a process group of the stack: neither started nor ended with it
    with_responder_environment "$@"
}

# Fails when a responder is missing or does not accept the settings; the responder prints the error. The
# settings are the same for all families of a service; each describes its part of the API.
declare -A understood=() # by service: its settings as parsed by its responders
check_responders() {
    local service pool reason parts
    for service in "${services[@]}"; do
        complete_settings "$service"
        pool=${service_rest[$service]} parts=()
        check_built "$pool"
        reason=$(with_responder_environment "$build/fcgi-bin/$pool" --check-config 2>&1) || refuse_settings "$pool"
        understood[$service]=$reason
        for pool in "${pools[@]}"; do
            [[ $pool == "$service"-* ]] || continue
            check_built "$pool"
            reason=$(with_responder_environment "$build/fcgi-bin/$pool" --describe 2>&1 >"$dir/tmp/$pool.describe") ||
                refuse_settings "$pool"
            parts+=("$dir/tmp/$pool.describe")
        done
        merge_descriptions "${parts[@]}" >"$dir/tmp/$service-openapi.json" ||
            fail "the API descriptions of $service do not fit together"
        rm -f "${parts[@]}"
    done
    for pool in "${programs[@]}"; do
        [[ -x $build/cron-bin/${program_command[$pool]%% *} ]] ||
            fail "$build/cron-bin/${program_command[$pool]%% *} is not built; run make first"
    done
}

check_built() { [[ -x $build/fcgi-bin/$1 ]] || fail "$build/fcgi-bin/$1 is not built; run make first"; }

refuse_settings() { fail "$1 does not accept the settings:"$'\n'"${reason:-(no reason given)}"; }

# The environment of a process group, one NAME=VALUE after the other, each ended by a zero byte.
write_environment() {
    local name entries=()
    for name in "${!responder_setting[@]}"; do entries+=("$name=${responder_setting[$name]}"); done
    (
        umask 077
        printf '%s\0' "${entries[@]}" "${@:2}" >"$dir/run/$1.env.new" && exec mv "$dir/run/$1.env.new" "$dir/run/$1.env"
    )
}

# The same in the format of systemd (docs/operate/deploy.md).
write_unit_environment() {
    local name value
    {
        for name in "${!responder_setting[@]}"; do
            [[ $name != ASSAY_STACK ]] || continue # systemd groups the processes itself
            value=${responder_setting[$name]}
            [[ $value != *$'\n'* ]] || fail "$name holds a line end, which systemd cannot take"
            printf '%s="%s"\n' "$name" "$(sed 's/[\\"$`]/\\&/g' <<<"$value")"
        done
        for name in "${@:2}"; do echo "$name"; done
    } | write_private "run/$1.environment"
}

# The environment file of each pool, and the API description of each service.
write_responder_files() {
    local service pool
    echo "${services[*]}" >"$dir/run/services" && echo "${programs[*]}" >"$dir/run/programs" ||
        fail "cannot write to $dir/run"
    for service in "${services[@]}"; do
        complete_settings "$service"
        for pool in "${pools[@]}"; do
            [[ $pool == "$service"-* ]] || continue
            write_environment "$pool" "ASSAY_POOL_WORKERS=${pool_workers[$pool]}" \
                "ASSAY_POOL_SECONDS=${pool_seconds[$pool]}"
        done
        mv "$dir/tmp/$service-openapi.json" "$dir/run/$service-openapi.json" || fail "cannot write to $dir/run"
    done
    for pool in "${programs[@]}"; do
        complete_settings "${program_service[$pool]}"
        write_environment "$pool"
    done
}

# Merges the parts into one OpenAPI document: paths, components and tags of all, the rest from the first.
merge_descriptions() {
    jq -c -s '
        reduce .[1:][] as $part (.[0];
            .paths = ((.paths // {}) * ($part.paths // {}))
            | reduce (($part.components // {}) | to_entries[]) as $kind (.;
                .components[$kind.key] = ((.components[$kind.key] // {}) + $kind.value))
            | .tags = ((.tags // []) + ($part.tags // [])))
        | if .tags then .tags |= (reduce .[] as $tag ([];
            if any(.[]; .name == $tag.name) then . else . + [$tag] end)) else . end
    ' "$@"
}
