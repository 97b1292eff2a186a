# Checks an installation and says what to do. Sourced by nginx/stack.
#
# Each check gives rows: a state (ok, warn, fail), a stable name, what was found, and what to do. Checks change nothing.
# What ends a command elsewhere (fail) is caught here: such a check runs in a subshell.

readonly readiness_routes='experiments=/readyz support=/api/health orchestrator=/api/v1/readiness livedata=/health/ready accounts=/api/health'

# row STATE NAME FOUND [WHAT_TO_DO]
doctor_rows=()
row() {
    local IFS=$'\x1f'
    doctor_rows+=("$*"$'\x1f')
}

readonly doctor_checks='programs folders secrets settings disk build configuration databases clock backups certificates processes'

# All checks, or one of them.
command_doctor() {
    local check reason=''
    doctor_rows=()
    [[ -z $log_name || " $doctor_checks " == *" $log_name "* ]] || fail "there is no check \"$log_name\"; there is: $doctor_checks"
    ! wants_check programs || check_programs_installed
    ! wants_check folders || check_folders
    ! wants_check secrets || check_private_files
    if reason=$(read_doctor_settings 2>&1); then
        read_doctor_settings 2>/dev/null
        ! wants_check settings || row ok settings "services: ${services[*]}"
        for check in disk build configuration databases clock backups certificates processes; do
            ! wants_check "$check" || "check_$check"
        done
    else
        row fail settings "$(sed 's/^stack: //; q' <<<"$reason")" "correct $dir/assay.env or the environment (docs/operate/configuration.md)"
    fi
    if ((as_json)); then print_rows_as_json; else print_rows; fi
    [[ "${doctor_rows[*]}" != *$'fail\x1f'* ]] || exit 1
    exit 0
}

wants_check() { [[ -z $log_name || $log_name == "$1" ]]; }

print_rows() {
    local state name found todo entry
    for entry in "${doctor_rows[@]}"; do
        IFS=$'\x1f' read -r -d '' state name found todo _ <<<"$entry"$'\x1f' || true
        printf '%-5s %-24s %s\n' "$state" "$name" "$found"
        [[ -z ${todo//$'\n'/} ]] || printf '%-5s %-24s -> %s\n' '' '' "$todo"
    done
}

print_rows_as_json() {
    printf '%s\0' "${doctor_rows[@]}" | jq -R -s '
        split("\u0000") | map(select(. != "") | split("\u001f") | {state: .[0], name: .[1], found: .[2], todo: (.[3] // "")})
        | {status: (if any(.state == "fail") then "fail" elif any(.state == "warn") then "warn" else "ok" end), checks: .}'
}

# The first line that a command prints, without "stack: ".
reason_of() { "$@" 2>&1 </dev/null | sed 's/^stack: //; q'; }

check_programs_installed() {
    local missing versions
    web_server=${web_server:-nginx}
    missing=$(reason_of check_programs)
    [[ -z $missing ]] || { row fail programs "$missing" 'tools/install-packages run'; return; }
    versions="nginx $(nginx -v 2>&1 | sed 's|.*nginx/||; s/ .*//'), curl $(curl --version | sed 's/^curl \([^ ]*\).*/\1/; q'), $(jq --version)"
    row ok programs "$versions, bash ${BASH_VERSION%%(*}"
}

check_folders() {
    local folder bad=()
    [[ -d $dir ]] || { row fail folders "$dir does not exist" "nginx/stack start --dir '$dir'"; return; }
    for folder in "$dir" "$dir"/{run,log,data,tmp,state}; do
        [[ ! -e $folder || (-d $folder && -w $folder && -x $folder) ]] || bad+=("$folder")
    done
    ((${#bad[@]} == 0)) || {
        row fail folders "not a folder that $(id -un) can write to: ${bad[*]}" "chown -R $(id -un) ${bad[*]}, or call doctor as the user of the stack"
        return
    }
    row ok folders "$dir and what is in it belong to $(id -un)"
}

# Secrets that others may read.
check_private_files() {
    local file open=()
    for file in "$dir"/assay.env "$dir"/state/*-{secret,first-password,admin-token,pepper} "$dir"/run/*.env "$dir"/run/environment; do
        [[ ! -f $file || -z $(find -H "$file" -perm /077 2>/dev/null) ]] || open+=("$file")
    done
    if ((${#open[@]} == 0)); then
        row ok secrets 'nobody else can read them'
    elif [[ ${open[*]} == "$dir/assay.env" ]] && ! grep -qE '^[^#]*(TOKEN|SECRET|KEY|PASSWORD|URL)[A-Z_]*=.' "$dir/assay.env"; then
        row ok secrets 'nobody else can read them'
    else
        row fail secrets "others can read ${open[*]}" "chmod 600 ${open[*]}; then change the secrets"
    fi
}

# Ends with an error when nothing else can be checked.
read_doctor_settings() {
    [[ ! -e $dir/assay.env || -r $dir/assay.env ]] || fail "$dir/assay.env cannot be read"
    read_settings again
    number_setting ASSAY_DOCTOR_DISK_MB 1024 1 1000000000
    doctor_disk_mb=$number
    number_setting ASSAY_DOCTOR_BACKUP_HOURS 48 1 100000
    doctor_backup_hours=$number
    number_setting ASSAY_DOCTOR_CERTIFICATE_DAYS 14 1 10000
    doctor_certificate_days=$number
}

backup_folder() {
    local folder=${setting[ASSAY_BACKUP_DIR]:-backups}
    [[ $folder == /* ]] || folder=$dir/$folder
    echo "$folder"
}

check_disk() {
    local folder free nodes used low=() least=''
    for folder in "$dir"/{data,log,tmp,run} "$(backup_folder)"; do
        [[ -d $folder ]] || continue
        read -r free nodes used < <(df -BM --output=avail,iavail,itotal "$folder" 2>/dev/null | tail -n 1 | tr -d M)
        [[ ${free:-} =~ ^[0-9]+$ ]] || continue
        ((free >= doctor_disk_mb)) || low+=("$folder: $free MB")
        [[ ! ${nodes:-} =~ ^[0-9]+$ || ! ${used:-} =~ ^[1-9] ]] || ((nodes >= 1000)) || low+=("$folder: $nodes more files")
        [[ -n $least ]] && ((free >= least)) || least=$free
    done
    if ((${#low[@]} > 0)); then
        row fail disk "little room: $(IFS=';'; echo "${low[*]}")" "make room for $doctor_disk_mb MB (ASSAY_DOCTOR_DISK_MB): old logs, old backups, or a larger disk"
    else
        row ok disk "${least:-?} MB free at least"
    fi
}

check_build() {
    local pool version wrong=() expected
    expected=$(<"$checkout/VERSION")
    for pool in "${services[@]}"; do
        pool=${service_rest[$pool]}
        version=$("$build/fcgi-bin/$pool" --version 2>&1) || { wrong+=("$pool: ${version%%$'\n'*}"); continue; }
        [[ $version == *"$expected"* ]] || wrong+=("$pool is $version, not $expected")
    done
    if ((${#wrong[@]} > 0)); then
        row fail build "$(IFS=';'; echo "${wrong[*]}")" 'run make, or install the package again'
    else
        row ok build "all programs are of version $expected"
    fi
}

check_configuration() {
    local service pool reason
    for service in "${services[@]}"; do
        pool=${service_rest[$service]}
        complete_settings "$service"
        reason=$(with_responder_environment "$build/fcgi-bin/$pool" --check-config 2>&1 >/dev/null) ||
            row fail "settings-$service" "${reason%%$'\n'*}" 'correct the setting (docs/operate/configuration.md)'
    done
}

# One row per database: the right one, undamaged, up to date, and safe in its settings.
check_databases() {
    local service reason status facts
    for service in "${services[@]}"; do
        reason=$(on_database check "$service" 2>&1)
        status=$?
        ((status != 2)) || continue
        if ((status != 0)) && [[ ! -e $dir/state/$service.identity && -z $(list_members) ]]; then
            row warn "database-$service" 'it is not made yet' 'nginx/stack start makes it'
            continue
        elif ((status != 0)); then
            row fail "database-$service" "$(sed '/^{/d; q' <<<"$reason")" 'docs/operate/health.md#database_unreachable'
            continue
        fi
        facts=$(on_database describe "$service" 2>/dev/null) || facts='{}'
        judge_database "$service" "$facts"
    done
}

judge_database() {
    local state found todo
    IFS=$'\x1f' read -r state found todo < <(jq -r --arg service "$1" '
        "\(.engine) \(.version), schema \(.schema) of \(.schema_required), \((.size_bytes // 0) / 1048576 | floor) MB" as $found
        | (if .engine == null then ["warn", "what it is cannot be read", ""]
           elif .pending > 0 then ["warn", "\($found): \(.pending) migrations are pending", "nginx/stack restart applies them; take a backup before"]
           elif .writable == false then ["fail", "\($found): \(.detail)", "docs/operate/health.md#database_not_writable"]
           elif .engine == "SQLite" and .journal_mode_as_configured == false then
             ["warn", "\($found): journal mode \(.journal_mode)", "docs/operate/health.md#journal_mode_differs"]
           elif .fsync == "off" or .full_page_writes == "off" then
             ["fail", "\($found): fsync is \(.fsync), full_page_writes is \(.full_page_writes)", "switch both on in postgresql.conf: without them a crash of the host destroys data"]
           elif .engine == "PostgreSQL" and (.version | split(".")[0] | tonumber) < 15 then
             ["warn", $found, "use PostgreSQL 15 or newer, which is what is tested"]
           elif .engine == "PostgreSQL" and (.max_connections | tonumber) < .pool_size then
             ["warn", "\($found): max_connections is \(.max_connections), the pool \(.pool_size)", "raise max_connections, or lower the pool"]
           else ["ok", $found, ""] end) | join("\u001f")' <<<"$2")
    row "$state" "database-$1" "$found" "$todo"
}

# A clock that was set back shows by files from the future; one that was set at all, by timedatectl.
check_clock() {
    local future
    future=$(find "$dir"/{data,log,state} -newermt '10 minutes' -print -quit 2>/dev/null)
    if [[ -n $future ]]; then
        row fail clock "it is $(date -u +%Y-%m-%dT%H:%MZ), and $future is from $(date -u -r "$future" +%Y-%m-%dT%H:%MZ)" \
            'set the clock (timedatectl); docs/operate/operations.md#clocks'
    elif [[ $(timedatectl show -p NTPSynchronized --value 2>/dev/null) == no ]]; then
        row warn clock "$(date -u +%Y-%m-%dT%H:%MZ), not synchronized" 'timedatectl set-ntp true, or chrony'
    else
        row ok clock "$(date -u +%Y-%m-%dT%H:%MZ)"
    fi
}

check_backups() {
    local folder newest age
    folder=$(backup_folder)
    newest=$(find "$folder" -maxdepth 1 -name 'assay-*.tar.gz' -printf '%T@ %p\n' 2>/dev/null | sort -n | tail -n 1)
    if [[ -z $newest && -s $dir/state/last-backup.json ]]; then
        newest="$(date -d "$(jq -r .made_at "$dir/state/last-backup.json")" +%s) $dir/state/last-backup.json"
    fi
    [[ -n $newest ]] || { row warn backups "there is none in $folder" 'nginx/stack backup; daily by nginx/crontab'; return; }
    age=$((($(date +%s) - ${newest%%[. ]*}) / 3600))
    if [[ $newest == *.tar.gz ]] && ! gzip -t "${newest#* }" 2>/dev/null; then
        row fail backups "${newest#* } is damaged" 'nginx/stack backup; see whether the disk is full'
    elif ((age >= doctor_backup_hours)); then
        row warn backups "the newest is $age hours old" 'nginx/stack backup; see why the scheduled one does not run (nginx/crontab)'
    else
        row ok backups "the newest is $age hours old"
    fi
}

# Of the addresses that browsers use: the web server in front has the certificates.
check_certificates() {
    local name url end days checked=' '
    for name in "${!setting[@]}"; do
        url=${setting[$name]}
        [[ $name == ASSAY_ORIGIN_* && $url == https://* && $checked != *" $url "* ]] || continue
        checked+="$url "
        end=$(curl -ksS --noproxy '*' -m 5 -o /dev/null -w '%{certs}' "$url" 2>/dev/null | sed -n 's/^Expire date://p' | sort | head -n 1)
        [[ -n $end ]] || { row fail certificates "$url does not answer" 'start the web server in front (docs/operate/deploy.md)'; continue; }
        days=$((($(date -d "$end" +%s) - $(date +%s)) / 86400))
        if (($(date -d "$end" +%s) <= $(date +%s))); then
            row fail certificates "that of $url ended at $end" 'renew it, and reload the web server in front'
        elif ((days < doctor_certificate_days)); then
            row warn certificates "that of $url ends in $days days" 'renew it; see why it is not renewed by itself'
        else
            row ok certificates "that of $url ends in $days days"
        fi
    done
}

# Ports of a stack that does not run; what runs of one that does, and what its services say of themselves.
check_processes() {
    local reason dead
    if [[ -z $(list_members) ]]; then
        row warn processes "nothing runs in $dir" "nginx/stack start --dir '$dir'"
        reason=$(reason_of check_ports)
        if [[ -n $reason ]]; then row fail ports "$reason" 'stop what holds it, or choose another port'; else row ok ports 'those of the settings are free'; fi
        return
    fi
    dead=$(command_status 2>/dev/null | awk '$NF == "dead" { print $1 }' | xargs)
    if [[ -n $dead ]]; then
        row fail processes "dead: $dead" 'nginx/stack mend; nginx/stack logs NAME says why'
    else
        row ok processes 'all run'
    fi
    reason=$(warn_of_low_limits 2>&1 | sed 's/^stack: //')
    [[ -z $reason ]] || row warn limits "${reason%%$'\n'*}" 'raise the limit of the system'
    [[ $web_server != nginx ]] || check_readiness
}

check_readiness() {
    local pair service answer fault found
    for pair in $readiness_routes; do
        service=${pair%%=*} found=0
        [[ " ${services[*]} " == *" $service "* ]] || continue
        answer=$(curl -sS --noproxy '*' --globoff -m 10 "$(service_url "$service")${pair#*=}" 2>&1)
        while IFS= read -r fault; do
            found=1
            row "${fault%%$'\x1f'*}" "ready-$service" "${fault#*$'\x1f'}"
        done < <(jq -r '
            (if .status == "unhealthy" or .status == "not_ready" or .status == "failed" then "fail" else "warn" end) as $state
            | [.. | objects | select(has("code") and has("guide"))] | unique_by(.code)[]
            | [(if .code | IN("api_key_missing", "browser_not_configured", "embedder_without_model", "no_events") then "ok" else $state end),
               "\(.code): \(.meaning)", .guide] | join("\u001f")' <<<"$answer" 2>/dev/null)
        jq -e . <<<"$answer" >/dev/null 2>&1 || { row fail "ready-$service" "${answer%%$'\n'*}" "nginx/stack logs $service"; continue; }
        ((found)) || row ok "ready-$service" 'ready'
    done
}
