# The known settings: an unknown name in assay.env stops the stack, and so does an unknown environment
# variable with one of our prefixes. Sourced by nginx/stack.

# Names read by the stack itself, and by every responder (ASSAY_HOSTS); of each service and pool:
# ASSAY_PORT_*, ASSAY_ORIGIN_* and ASSAY_WORKERS_*.
readonly stack_settings='ASSAY_ACCESS_LOG ASSAY_BACKUP_DIR ASSAY_BACKUP_KEEP ASSAY_BIND ASSAY_DOCTOR_DISK_MB ASSAY_DOCTOR_BACKUP_HOURS
    ASSAY_DOCTOR_CERTIFICATE_DAYS ASSAY_BUILD_DIR
    ASSAY_CLIENT_SHARE ASSAY_CONNECTIONS_PER_CLIENT ASSAY_LOCALES_DIR ASSAY_ORIGIN_PORTAL ASSAY_PORT_PORTAL ASSAY_SERVE_UI
    ASSAY_WEB_SERVER ASSAY_SERVICES ASSAY_SQL_DIR ASSAY_START_SECONDS ASSAY_STOP_SECONDS ASSAY_WORKERS
    ORCH_BROWSER_RECON_DIR ASSAY_HOSTS'
# Names read by foreign programs and libraries, and names that this stack sets for its own programs.
readonly foreign_settings='@(PATH|HOME|USER|DISPLAY|LANG|LC_*|TZ|TMPDIR|SSL_CERT_FILE|SSL_CERT_DIR|PG*)'
readonly foreign_variables='@(http_proxy|https_proxy|no_proxy|HTTPS_PROXY|NO_PROXY|*SAN_OPTIONS|LLVM_PROFILE_FILE|GCOV_*|MALLOC_*)'
# The client libraries of live data read these two from the environment.
readonly client_variables='LIVE_@(URL|API_KEY)'
readonly own_variables='ASSAY_@(STACK|GENERATION|POOL_*|RUN_DIR|STATE_DIR|OPENAPI_FILE|TEST_*)'

declare -A known_names=()     # every known name
declare -A every_service=()   # service => its program that describes its settings, selected or not

# Called before services are selected: names of services that do not run are known as well.
note_every_service() {
    local name
    for name in $stack_settings; do known_names[$name]=1; done
    for name in "${services[@]}"; do
        every_service[$name]=${service_rest[$name]}
        ! has_port "$name" || known_names[ASSAY_PORT_${name^^}]=1 known_names[ASSAY_ORIGIN_${name^^}]=1
    done
    for name in "${pools[@]}"; do
        name=ASSAY_WORKERS_${name^^}
        known_names[${name//-/_}]=1
    done
}

# The names of a service's settings, one per line.
describe_settings() {
    env -i "$build/fcgi-bin/$1" --describe-settings 2>/dev/null |
        sed -n 's/^| `\([A-Za-z_][A-Za-z0-9_]*\)` .*/\1/p'
}

# Variables for keys that settings and model files name.
note_key_variables() {
    local name file
    for name in "${!setting[@]}"; do
        [[ $name != *_API_KEY_ENV || -z ${setting[$name]} ]] || known_names[${setting[$name]}]=1
    done
    for file in "${setting[PROVIDER_REGISTRY_PATH]:-}" "${setting[ORCH_MODELS_FILE]:-}"; do
        [[ -n $file ]] || continue
        [[ $file == /* ]] || file=$dir/$file
        for name in $(sed -n 's/.*api_key_env"\{0,1\}[[:space:]]*:[[:space:]]*["'\'']\{0,1\}\([A-Za-z_][A-Za-z0-9_]*\).*/\1/p' \
            "$file" 2>/dev/null); do known_names[$name]=1; done
    done
}

# shellcheck disable=SC2053 # patterns
is_known() { [[ -v known_names[$1] || $1 == $foreign_settings || $1 == $foreign_variables || $1 == $own_variables ]]; }

# Sets $strangers to the unknown names.
# shellcheck disable=SC2053
find_strangers() {
    local name
    strangers=()
    for name in "${!setting[@]}"; do is_known "$name" || strangers+=("$name"); done
    for name in $(compgen -e); do
        [[ $name != @(AB_|ORCH_|LIVE_|ASSAY_)* || $name == $client_variables ]] || is_known "$name" || [[ -v setting[$name] ]] || strangers+=("$name")
    done
}

# The known name with the smallest Levenshtein distance, if the distance is small.
nearest_name() {
    printf '%s\n' "${!known_names[@]}" | sort | awk -v wanted="$1" '
        function least(a, b, c) { return a < b ? (a < c ? a : c) : (b < c ? b : c) }
        function distance(a, b,    i, j, row, before) {
            for (j = 0; j <= length(b); j++) row[j] = j
            for (i = 1; i <= length(a); i++) {
                for (j = 0; j <= length(b); j++) before[j] = row[j]
                row[0] = i
                for (j = 1; j <= length(b); j++)
                    row[j] = least(before[j] + 1, row[j - 1] + 1,
                                   before[j - 1] + (substr(a, i, 1) != substr(b, j, 1)))
            }
            return row[length(b)]
        }
        BEGIN { best = int(length(wanted) / 3) + 1 }
        { d = distance(wanted, $0); if (d < best) { best = d; name = $0 } }
        END { print name }'
}

# Names of services that are not selected are read only when a name is still unknown.
refuse_strangers() {
    local service name near
    note_key_variables
    find_strangers
    ((${#strangers[@]} > 0)) || return 0
    for service in "${!every_service[@]}"; do
        [[ -x $build/fcgi-bin/${every_service[$service]} ]] || return 0 # reported at its start
        for name in $(describe_settings "${every_service[$service]}"); do known_names[$name]=1; done
    done
    find_strangers
    ((${#strangers[@]} > 0)) || return 0
    name=$(printf '%s\n' "${strangers[@]}" | sort | head -n 1)
    near=$(nearest_name "$name")
    fail "there is no setting $name${near:+; did you mean $near?} (docs/operate/configuration.md lists all)"
}
