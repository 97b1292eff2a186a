# Writes the configuration of nginx into <dir>/conf.new from templates/ and the settings.
# Sourced by nginx/stack.

# Sets $filled to template $1 with each @NAME@ replaced; the other arguments are NAME VALUE pairs.
fill() {
    filled=''
    IFS= read -r -d '' filled <"$here/templates/$1.conf"
    shift
    while (($# > 0)); do
        filled=${filled//"@$1@"/"$2"}
        shift 2
    done
}

# Writes $filled to a file of the new configuration.
put() { printf '%s' "$filled" >"$conf/$1" || fail "cannot write $conf/$1"; }

# Extra bytes above a body limit: for the parts around the body, and so that a body slightly above the limit
# reaches the responder, which refuses it in the client's language.
readonly body_allowance=65536

# Sets $cap from the BODY column, bytes or NAME:DEFAULT.
body_cap() {
    cap=$1
    [[ $1 == *:* ]] || return 0
    number_setting "${1%%:*}" "${1#*:}" 1 1099511627776
    cap=$number
}

# The lines of a location for its row of nginx/services. Streams reach the client as they are written;
# X-Accel-Buffering of a responder overrides this.
set_options() {
    local pool=$1 stream=$2 share
    options="        set \$pool $pool;"$'\n'
    ((stream == 0)) || options+='        fastcgi_buffering off;'$'\n''        gzip off;'$'\n'
    share=$(((pool_workers[$pool] + pool_waiting[$pool]) * client_share / 100))
    ((connections_per_client > 0 && client_share < 100 && share < connections_per_client)) || return 0
    options+="        limit_conn clients $connections_per_client;"$'\n'
    options+="        limit_conn shares $((share > 1 ? share : 1));"$'\n'
}

# Sets $filled to the location of one path of a family below $prefix.
fill_location() {
    local path=$1 body=$2 seconds=$3 pool=$4 options=$5 match
    case $path in
        =*) match="= $prefix${path#=}" ;;
        *\**) match="~ ^$prefix${path//\*/[^/]+}" ;;
        *) match="^~ $prefix$path" ;;
    esac
    # If paths with a star are below a prefix, nginx must check them too.
    [[ $match != '^~ '* || " ${family_rows[*]} " != *" $path*"* ]] || match=$prefix$path
    fill location MATCH "$match" BODY $((body + body_allowance)) SECONDS "$seconds" \
        POOL "$pool" OPTIONS "$options"
}

# The locations of one path of a family, on the port of the service and under the portal, and its line in the
# map of body limits.
add_location() {
    local path=$1 body=$2 area=${service_prefix[$service]} prefix
    for prefix in '' "$area"; do
        fill_location "$@"
        if [[ -z $prefix ]]; then locations+=$filled; else area_locations+=$filled; fi
    done
    case $path in
        =*) exact_limits+="        \"~^(?:$area)?${path#=}(?:\\?|\$)\" $body;"$'\n' ;;
        *) limits+="        \"~^(?:$area)?${path//\*/[^/]+}\" $body;"$'\n' ;;
    esac
}

# nginx uses the first regular expression that matches.
longest_first() { awk '{ print length($1), $0 }' | sort -s -k1,1nr | cut -d' ' -f2-; }

# Writes the server of a service's port, and adds the service to the areas of the portal.
render_service() {
    local service=$1 row family body seconds paths path cap stream waiting options
    local locations='' area_locations='' exact_limits='' limits='' rest_body=0 rest_seconds=0
    for row in "${family_rows[@]}"; do
        [[ $row == "$service "* ]] || continue
        read -r _ family _ body seconds paths <<<"$row"
        read_family_options "$paths"
        answer_seconds "$seconds"
        body_cap "$body"
        set_options "$service-$family" "$stream"
        set -f
        for path in $paths; do
            if [[ $path == '*' ]]; then
                rest_body=$cap rest_seconds=$seconds
            else
                add_location "$path" "$cap" "$seconds" "$service-$family" "$options"
            fi
        done
        set +f
    done
    if has_port "$service"; then render_port; fi
    render_area
    body_limits+="map \$request_uri \$${service}_body_limit {"$'\n'
    body_limits+="        default $rest_body;"$'\n'"$exact_limits$(longest_first <<<"$limits")"$'\n'"    }"$'\n'
    render_origins "$service"
    render_frames "$service"
}

fill_rest() {
    fill location MATCH "$1" BODY "$rest_body" SECONDS "$rest_seconds" POOL "${service_rest[$service]}" OPTIONS ''
}

# The viewers of the API description of a service below a prefix.
fill_viewers() {
    filled=''
    [[ ! -d $pages/$service ]] || fill viewers PREFIX "$1" PORTAL "$2" API "$3" SERVICE "$service" NAME "${service^}" BUILD "$build_id" CHECKOUT "$checkout"
}

# The addresses that a program's token may be for: /mcp of the suite, of each service below the portal, and on its own
# port.
program_resources() {
    local service
    printf 'suite=%s/mcp' "$(public_portal_url)"
    for service in "${services[@]}"; do
        printf ' %s=%s%s/mcp' "$service" "$(public_portal_url)" "${service_prefix[$service]}"
        ! has_port "$service" || printf ' %s=%s/mcp' "$service" "$(public_url "$service")"
    done
}

# Sets $filled to the location of what programs learn before they sign in; $1: of a service's port, its address.
fill_sign_in_metadata() {
    local options=''
    [[ -z $1 ]] || options="        fastcgi_param SITE_RESOURCE_ORIGIN \"$1\";"$'\n'
    fill sign-in-metadata PORTAL "$(public_portal_url)" RESOURCES "$(program_resources)" OPTIONS "$options"
}

# The server of $service on its own port. Its user interface may be another one, or none.
render_port() {
    local page_locations viewers ui
    ui=$(service_setting "$service" ui "static/$service")
    [[ $ui == /* ]] || ui=$checkout/$ui
    use_pages "$service" '' "$portal_variable" ''
    page_locations=$filled
    fill_sign_in_metadata "$(public_url "$service")"
    locations+=$filled
    fill_rest '~ /\.'
    locations+=$filled
    flag_setting "${service_name[$service serve_ui]:-ASSAY_SERVE_UI}" true
    if ((flag)) && [[ $ui -ef $checkout/static/$service ]]; then
        fill service-pages-own PAGES "$page_locations"
    elif ((flag)); then
        fill service-pages
    else
        fill_rest /
    fi
    page_locations=$filled
    fill_viewers '' "$portal_variable" ''
    viewers=$filled
    fill shell CHECKOUT "$checkout"
    fill service SERVICE "$service" SHELL "$filled" UI "$ui" CHECKOUT "$checkout" VIEWERS "$viewers" \
        LISTEN "$(bracketed "${service_bind[$service]}"):${service_port[$service]}" \
        ORIGIN "$(public_url "$service")" \
        REST_BODY $((rest_body + body_allowance)) REST_SECONDS "$rest_seconds" \
        REST_POOL "${service_rest[$service]}" LOCATIONS "$locations" PAGES "$page_locations"
    put "$service.conf"
    render_errors "$service" >"$conf/$service-errors.conf" || fail "cannot write $conf/$service-errors.conf"
}

# The address of a service's API for commands that people run: its own, unless only the portal has a public one.
# The name of this host is the one by which the browser found it.
api_url() {
    local name=ASSAY_ORIGIN_${1^^}
    if [[ -n ${setting[$name]:-} ]]; then
        printf '%s' "${setting[$name]}"
    elif [[ -n ${setting[ASSAY_ORIGIN_PORTAL]:-} ]] || ! has_port "$1"; then
        printf '%s' "${service_prefix[$1]}"
    else
        printf '$scheme://$host:%s' "${service_port[$1]}"
    fi
}

# The same service below its prefix of the portal: always with its own pages, except where none are wanted.
render_area() {
    local prefix=${service_prefix[$service]} page_locations='' viewers='' parameters=''
    flag_setting "${service_name[$service serve_ui]:-ASSAY_SERVE_UI}" true
    if ((flag)) && [[ -d $checkout/static/$service ]]; then
        use_pages "$service" "$prefix" '' "$(api_url "$service")"
        page_locations=$filled
        fill page-redirect PATH "$prefix" TO "$prefix/"
        areas+=$filled
    fi
    fill_viewers "$prefix" '' "$(api_url "$service")"
    viewers=$filled
    [[ $service != accounts ]] || parameters="fastcgi_param SITE_RESOURCES \"$(program_resources)\";"
    fill area PARAMETERS "$parameters" PREFIX "$prefix" SERVICE "$service" UI "$checkout/static/$service" CHECKOUT "$checkout" \
        ORIGIN "$(public_portal_url)" ERROR_PAGES "$(error_pages "$prefix" '$missing_as')" \
        REST_BODY $((rest_body + body_allowance)) REST_SECONDS "$rest_seconds" \
        REST_POOL "${service_rest[$service]}" LOCATIONS "$area_locations" VIEWERS "$viewers" PAGES "$page_locations"
    areas+=$filled
    area_names+=${area_names:+|}${prefix#/}
    render_errors "$service" "$prefix" >"$conf/area-$service-errors.conf" ||
        fail "cannot write $conf/area-$service-errors.conf"
}

# The map that allows pages of allowed origins to read nginx's own answers. The list is the one parsed by the
# responders, defaults included.
render_origins() {
    local service=$1 origin origins='' list lines='' said=$'\n'${understood[$1]}
    local name=${service_name[$service origins]:-}
    [[ -z $name || $said != *$'\n'"$name="* ]] || origins=${said#*$'\n'"$name="}
    origins=${origins%%$'\n'*}
    IFS=', ' read -ra list <<<"$origins" # not split by the shell, which takes * for a pattern of files
    for origin in "${list[@]}"; do
        if [[ $origin == '*' ]]; then
            lines+='        default $http_origin;'$'\n'
        elif [[ $origin =~ ^[A-Za-z0-9:/._-]+$ ]]; then
            lines+="        \"$origin\" \$http_origin;"$'\n'
        fi
    done
    [[ $lines == *default* ]] || lines+='        default "";'$'\n'
    body_limits+="    map \$http_origin \$${service}_allowed_origin {"$'\n'"$lines    }"$'\n'
}

# The headers of a page that the sites of a setting may show in a frame: those of other pages, but for that.
render_frames() {
    local service=$1 origin sites='' list said=$'\n'${understood[$1]}
    local name=${service_name[$service frames]:-}
    [[ -n $name ]] || return 0
    [[ $said != *$'\n'"$name="* ]] || sites=${said#*$'\n'"$name="}
    sites=${sites%%$'\n'*}
    local allowed=''
    IFS=', ' read -ra list <<<"$sites"
    for origin in "${list[@]}"; do
        [[ ! $origin =~ ^[A-Za-z0-9:/._*-]+$ || $origin == '(unset)' ]] || allowed+=" $origin"
    done
    cat "$here/templates/page-headers.conf" "$here/templates/own-policy.conf" |
        sed -e '/X-Frame-Options/d' -e "s|frame-ancestors 'none'|frame-ancestors ${allowed:-"'none'"}|" \
            >"$conf/$service-frames.conf" || fail "cannot write $conf/$service-frames.conf"
}

# The lines that lead nginx's own errors to their answers below a prefix; 404 to $2, which may be a page.
error_pages() {
    local prefix=$1 missing=$2 status code detail
    echo "error_page 400 = /_nginx$prefix/\$unparsed_error;"
    echo "error_page 403 = /_nginx$prefix/404;"
    echo "error_page 404 /_nginx$prefix/$missing;"
    echo "error_page 494 = /_nginx$prefix/431;"
    echo "error_page 500 = /_nginx$prefix/503;" # a full disk: the client may retry
    echo "error_page 502 = /_nginx$prefix/\$unanswered_error;"
    while read -r status code detail; do
        [[ $status == @(400|404|431|500|502) ]] || echo "error_page $status = /_nginx$prefix/$status;"
    done <<<"$nginx_errors"
}

# nginx's own answers have the form of a responder's: templates/error-SERVICE.conf is the service's envelope,
# if it has one, and rows of nginx/services are its texts.
render_errors() {
    local name=$1 prefix=${2:-} missing=${3:-404} template=error status code detail extra type
    [[ ! -e $here/templates/error-$name.conf ]] || template=error-$name
    echo '# Answers that nginx makes itself.'
    [[ -n $prefix ]] || error_pages '' "$missing"
    while read -r status code detail; do
        choose_words "$name" "$status" "$code" "$detail"
        extra='' type=invalid_request_error
        ((status < 500)) || type=upstream_error
        case $status in
            405) extra='    add_header Allow "GET, HEAD" always;' ;;
            429 | 503) extra='    add_header Retry-After 1 always;' ;;
        esac
        if [[ $name != portal ]]; then
            extra+=$'\n'"    add_header Access-Control-Allow-Origin \$${name}_allowed_origin always;"
            extra+=$'\n''    add_header Vary "Origin" always;'
        fi
        fill "$template" PREFIX "$prefix" STATUS "$status" CODE "$code" DETAIL "$detail" EXTRA "$extra" TYPE "$type"
        printf '%s' "$filled"
    done <<<"$nginx_errors"
}

# Sets $code and $detail to those of a service for a status, if it has its own.
choose_words() {
    local row service status
    code=$3 detail=$4
    for row in "${error_rows[@]}"; do
        read -r service status _ <<<"$row"
        [[ $service != "$1" || $status != "$2" ]] || read -r _ _ code detail <<<"$row"
    done
    detail=${detail//'@LIMIT@'/"\$${1}_body_limit"}
    [[ $1 != portal || $2 != 413 ]] || detail='Request body is too large'
}
readonly nginx_errors='400 bad_request The request could not be understood
404 not_found Not Found
405 http_error Method Not Allowed
408 http_error The request did not arrive in time
411 http_error Content-Length is required
412 http_error Precondition Failed
413 request_body_too_large Request body exceeds limit of @LIMIT@ bytes
414 http_error The address is too long
416 http_error Range Not Satisfiable
429 rate_limited Too many connections
431 http_error The request headers are too large
500 internal_error Internal server error
501 http_error Not implemented
502 http_error The service is not answering
503 http_error The service cannot take this request now; try again shortly
504 http_error The service did not answer in time
505 http_error HTTP version not supported'

# The families of a service, one per line.
pools_of() {
    local pool
    for pool in "${pools[@]}"; do [[ $pool != "$1"-* ]] || echo "${pool#"$1"-}"; done
}

# The health of all services and pools in one answer, which nginx puts together by server-side includes.
write_health() {
    local service pool comma='' pool_comma
    printf '{'
    for service in "${services[@]}"; do
        printf '%s"%s":{"health":<!--# include virtual="/health/%s" -->,"pools":{' "$comma" "$service" "$service"
        pool_comma=''
        for pool in $(pools_of "$service"); do
            printf '%s"%s":<!--# include virtual="/pools/%s/%s" -->' "$pool_comma" "$pool" "$service" "$pool"
            pool_comma=,
        done
        printf '}}'
        comma=,
    done
    printf '}'
}

# What the home page shows of the services: part, service, family, path. The person's own request is repeated
# with each path, so that everybody sees what his roles allow.
readonly home_parts='experiments experiments live /api/v1/experiments?limit=6
tickets support admin /api/agent/tickets?status=open&limit=3
resolution support admin /api/analytics/trends?metric=resolution&days=30
reviews support improvement /api/admin/review-queue/stats
readiness orchestrator system /api/v1/readiness
runs orchestrator light /api/v1/tasks?limit=100
objectives livedata read /v1/slo
alerts livedata events /v1/alerts
catalog livedata read /v1/catalog'

# All of them in one answer, as write_health(); ?parts=.alerts.backup. names those that are wanted. A responder that
# refuses says so in its part, and nginx where none answers.
write_home() {
    local part service family path what
    printf '<!--# block name="failed" -->%s<!--# endblock -->' '{"detail":"Bad Gateway","error_code":"bad_gateway","status_code":502}'
    printf '<!--# block name="no_backup" -->%s<!--# endblock -->{' '{"made_at":null,"size_bytes":null}'
    while read -r part service family path; do
        what="<!--# include virtual=\"/_home/$part\" stub=\"failed\" -->"
        [[ " ${services[*]} " == *" $service "* ]] || what='{"detail":"Not Found","error_code":"not_found","status_code":404}'
        write_home_part "$part" "$what"
    done <<<"$home_parts"
    write_home_part health '<!--# include virtual="/health.json" stub="failed" -->'
    write_home_part backup '<!--# include virtual="/backup.json" stub="no_backup" -->'
    printf '"of":"home"}'
}

write_home_part() {
    printf '<!--# if expr="$arg_parts = /[.]%s[.]/" -->"%s":%s,<!--# endif -->' "$1" "$1" "$2"
}

# Sets $parts to the locations that write_home() includes.
render_home_parts() {
    local part service family path query
    parts=''
    while read -r part service family path; do
        [[ " ${services[*]} " == *" $service "* ]] || continue
        query=''
        [[ $path != *'?'* ]] || query=${path#*\?}
        fill portal-part PART "$part" PATH "$path" DOCUMENT "${path%%\?*}" QUERY "$query" \
            PREFIX "${service_prefix[$service]}" POOL "$service-$family"
        parts+=$filled
    done <<<"$home_parts"
}

# Sets $tools to the location of the tools of the whole suite.
render_suite_tools() {
    local pool=accounts-mcp cap options
    tools=''
    [[ -v pool_seconds[$pool] ]] || return 0
    set_options "$pool" 0
    body_cap ASSAY_MCP_MAX_REQUEST_BODY_BYTES:1048576
    fill portal-tools ORIGIN "$(public_portal_url)" BODY $((cap + body_allowance)) SECONDS "${pool_seconds[$pool]}" POOL "$pool" \
        OPTIONS "$options"
    tools=$filled
}

render_portal() {
    local service pool health='' page_locations entries='' parts metadata tools
    for service in "${services[@]}"; do
        fill portal-health SERVICE "$service" HEALTH_PATH "${service_health[$service]}" \
            POOL "${service_rest[$service]}"
        health+=$filled
        for pool in $(pools_of "$service"); do
            fill portal-pool SERVICE "$service" POOL "$pool" PREFIX "${service_prefix[$service]}"
            health+=$filled
        done
    done
    render_home_parts
    render_suite_tools
    use_pages portal '' '' ''
    page_locations=$filled
    fill_sign_in_metadata ''
    metadata=$filled
    fill shell CHECKOUT "$checkout"
    fill portal METADATA "$metadata" PAGES "$page_locations" SHELL "$filled" TOOLS "$tools" LISTEN "$(bracketed "$portal_bind"):$portal_port" CHECKOUT "$checkout" \
        HEALTH "$health$parts" AREAS "$areas" AREA_ERRORS "$(printf 'include area-%s-errors.conf;\n    ' "${services[@]}")"
    put portal.conf
    for service in "${services[@]}"; do entries+=${entries:+,}$(portal_entry "$service"); done
    echo "[$entries]" >"$conf/services.json" || fail "cannot write $conf/services.json"
    write_health >"$conf/health.json" || fail "cannot write $conf/health.json"
    write_home >"$conf/home.json" || fail "cannot write $conf/home.json"
    render_errors portal '' '$missing_as' >"$conf/portal-errors.conf" || fail "cannot write $conf/portal-errors.conf"
}

# Sets $connections_per_client (0 = no limit) and $client_share. A client is one IPv4 address, or one IPv6
# network of 64 bits. Behind our own proxy all clients have the same address, so there is no limit then.
read_client_limits() {
    local service
    number_setting ASSAY_CLIENT_SHARE 50 1 100
    client_share=$number
    number_setting ASSAY_CONNECTIONS_PER_CLIENT 256 0 65536
    connections_per_client=$number
    for service in "${services[@]}"; do
        [[ $(service_setting "$service" hops 0) == 0 ]] || connections_per_client=0
    done
}

# Seconds that nginx waits for its last requests when it is replaced: the longest of all families.
longest_answer() {
    local pool longest=0
    for pool in "${pools[@]}"; do
        ((pool_seconds[$pool] <= longest)) || longest=${pool_seconds[$pool]}
    done
    echo $((longest + 5))
}

# nginx needs two descriptors for a request that waits for a responder.
render_main() {
    local open_files cores service limit_conn='' includes='' user='' log=off
    open_files=$(ulimit -Hn)
    [[ $open_files != unlimited ]] && ((open_files < 65536)) || open_files=65536
    cores=$(nproc)
    ((EUID != 0)) || user='user root;'
    flag_setting ASSAY_ACCESS_LOG false
    ((connections_per_client == 0)) || limit_conn="limit_conn clients $connections_per_client;"
    ((flag == 0)) || log='log/access.log requests'
    for service in "${services[@]}"; do ! has_port "$service" || includes+="include $service.conf;"$'\n    '; done
    fill nginx USER "$user" LONGEST "$(longest_answer)" NGINX_WORKERS $((cores < 4 ? cores : 4)) OPEN_FILES "$open_files" \
        BUILD "$build_id" CONNECTIONS $((open_files / 2)) ACCESS_LOG "$log" LIMIT_CONN "$limit_conn" \
        BODY_LIMITS "$body_limits" AREA_NAMES "$area_names" SERVICES "$includes"
    put nginx.conf
}

render_all() {
    local conf=$dir/conf.new body_limits='' areas='' area_names='' service name connections_per_client client_share pages
    local portal_variable
    # Where the portal has no name of its own, browsers find it under the name by which they found this host.
    portal_variable=${setting[ASSAY_ORIGIN_PORTAL]:-'$scheme://$host:'$portal_port}
    read_client_limits
    rm -rf "$conf"
    mkdir -p "$conf/shell" || fail "cannot write to $dir"
    for name in types fastcgi page-headers page-policy own-policy viewer-policy; do
        cp "$here/templates/$name.conf" "$conf/$name.conf" || fail "cannot write $conf/$name.conf"
    done
    prepare_pages
    cp -r "$pages/made" "$conf/made" || fail "cannot write to $conf"
    for service in "${services[@]}"; do render_service "$service"; done
    render_portal
    render_main
    test_configuration
}

# nginx -t leaves an empty pid file if there was none.
test_configuration() {
    local report
    report=$(cd "$dir" && nginx -t -q -p "$dir/" -c conf.new/nginx.conf -e stderr 2>&1) ||
        fail "nginx does not accept the configuration in $dir/conf.new:"$'\n'"$report"
    [[ -s $dir/run/nginx.pid ]] || rm -f "$dir/run/nginx.pid"
    [[ -z $report ]] || printf '%s\n' "$report" >&2
}

# Activates the new configuration; true if it differs from the previous one.
install_configuration() {
    local changed=0
    diff -rq "$dir/conf" "$dir/conf.new" >/dev/null 2>&1 || changed=1
    rm -rf "$dir/conf"
    mv "$dir/conf.new" "$dir/conf"
    ((changed))
}
