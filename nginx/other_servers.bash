# Configurations of web servers other than nginx, from nginx/services and the settings. Sourced by
# nginx/stack, which uses them if ASSAY_WEB_SERVER is
#   apache     conf/apache.conf, to be included by Apache httpd: mod_proxy_fcgi and the pools' sockets
#   lighttpd   conf/lighttpd.conf, to be included by lighttpd: mod_fastcgi and the pools' sockets
#   cgi        conf/cgi/<service>/, a document root for Apache with .htaccess: the web server starts every
#              responder, as a CGI program or by mod_fcgid
# Only nginx has the portal, because it shows nginx's data about the pools.

web_server=nginx
read_web_server() {
    web_server=${setting[ASSAY_WEB_SERVER]:-nginx}
    case $web_server in
        nginx | apache | lighttpd | cgi) ;;
        *) fail "ASSAY_WEB_SERVER must be nginx, apache, lighttpd or cgi, not \"$web_server\"" ;;
    esac
}

# Routes of a service in nginx's order: exact paths, those with a star, the longest prefix, and the rest. Sets
# `rules`, one line per rule: regular expression, pool, body limit and seconds.
list_rules() {
    local service=$1 row family body seconds paths path cap stream waiting expression length
    local exact='' stars='' prefixes='' rest=''
    for row in "${family_rows[@]}"; do
        [[ $row == "$service "* ]] || continue
        read -r _ family _ body seconds paths <<<"$row"
        read_family_options "$paths"
        answer_seconds "$seconds"
        body_cap "$body"
        set -f
        for path in $paths; do
            expression=${path#=}
            length=${#expression}
            expression=${expression//./\\.}
            expression="${expression//\*/[^/]+} $service-$family $((cap + body_allowance)) $seconds"
            case $path in
                '*') rest="^/ ${expression#* }" ;;
                =*) exact+="^${expression/ /\$ }"$'\n' ;;
                *\**) stars+="^$expression"$'\n' ;;
                *) prefixes+="$length ^$expression"$'\n' ;;
            esac
        done
        set +f
    done
    prefixes=$(sort -s -k1,1nr <<<"${prefixes%$'\n'}" | cut -d' ' -f2-)
    rules=$exact$stars$prefixes$'\n'$rest
}

# Prints a page with the fragments that nginx would include.
whole_page() {
    local service=$1 file=$2
    awk -v shell="$pages/$service/shell" -v build="$build_id" -v service="$service" -v name="${service^}" \
        -v portal="$(public_portal_url)" '
        function fragment(file, text, line) {
            text = ""
            while ((getline line < file) > 0) text = text line "\n"
            close(file)
            gsub(/<!--# echo var="site_(prefix|api)" -->/, "", text)
            gsub(/<!--# echo var="site_portal" -->/, portal, text)
            return text
        }
        {
            gsub(/<!--# echo var="build" -->/, build)
            gsub(/<!--# echo var="service_name" -->/, name)
            gsub(/<!--# echo var="service" -->/, service)
            gsub(/<!--# echo var="site_prefix" -->/, "")
            while (match($0, /<!--# include virtual="\/shell\/[a-z-]+" -->/)) {
                printf "%s%s", substr($0, 1, RSTART - 1), fragment(shell "/" substr($0, RSTART + 30, RLENGTH - 35))
                $0 = substr($0, RSTART + RLENGTH)
            }
            print
        }' "$file"
}

# Writes the complete pages of a service into folder $2. Sets `page_files`, one line per page: regular
# expression and file, and `moves`, one line per redirect: path and target.
write_whole_pages() {
    local service=$1 folder=$2 page menu path name file
    page_files='' moves=${page_moves[$service]:-}
    mkdir -p "$folder" || fail "cannot write to $folder"
    while IFS=$'\t' read -r page menu path name; do
        [[ -n $page ]] || continue
        file=$checkout/static/$service/$page/page.html
        [[ $path != / ]] || file=$checkout/static/$service/index.html
        [[ $page != @(docs|redoc) ]] || file=$checkout/static/shared/viewers/$page.html
        whole_page "$service" "$file" >"$folder/$page.html" || fail "cannot write $folder/$page.html"
        path=${path//./\\.}
        page_files+="^$(sed -E 's/\{[a-z_]+\}/[^\/]+/g' <<<"$path")\$ $page.html"$'\n'
    done <<<"${page_rows[$service]:-}"
    # Paths with a parameter come last.
    page_files=$(grep -vF '[^/]+' <<<"$page_files"; grep -F '[^/]+' <<<"$page_files")
}

readonly catalogue_expression='^/static/[0-9a-f]{12}/(locales/[a-z]+\.json)$'
readonly made_expression='^/static/[0-9a-f]{12}/made/([a-z_-]+\.(?:js|css))$'
readonly asset_expression='^/static/[0-9a-f]{12}/((?!tools/|node_modules/)[a-z]+/.+\.[a-z0-9]+)$'
readonly page_policy="default-src 'self'; base-uri 'self'; connect-src 'self'; font-src 'self' data:; form-action 'self'; frame-ancestors 'none'; img-src 'self' data:; object-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; worker-src blob:"

# Later sections of Apache's configuration override earlier ones, so the rest comes first.
apache_service() {
    local service=$1 folder=$dir/conf/pages/$1 address expression pool cap seconds file target rules page_files moves
    address=$(bracketed "${service_bind[$service]}"):${service_port[$service]}
    list_rules "$service"
    write_whole_pages "$service" "$conf/pages/$service"
    echo "Listen $address"
    echo "<VirtualHost $address>"
    echo "    DocumentRoot \"$folder\""
    echo "    SetEnv SITE_ORIGIN \"$(public_url "$service")\""
    echo '    AllowEncodedSlashes NoDecode'
    echo '    RequestHeader unset Proxy'
    echo "    <Directory \"$folder\">"$'\n''        Require all granted'$'\n''    </Directory>'
    echo "    <Directory \"$dir/conf/made\">"$'\n''        Require all granted'$'\n''    </Directory>'
    echo "    <Directory \"$checkout/static\">"$'\n''        Require all granted'$'\n''    </Directory>'
    echo "    <Directory \"$checkout/locales\">"$'\n''        Require all granted'$'\n''    </Directory>'
    tac <<<"$rules" | while read -r expression pool cap seconds; do
        [[ -n $pool ]] || continue
        # Existing files are excluded from the rest.
        [[ $expression != ^/ ]] || expression='^/(?!static/|locales/)'
        echo "    <LocationMatch \"$expression\">"
        echo '        CGIPassAuth On'
        echo "        LimitRequestBody $cap"
        echo "        SetHandler \"proxy:unix:$dir/run/$pool.sock|fcgi://$pool/\""
        echo '    </LocationMatch>'
    done
    echo '    RewriteEngine On'
    while read -r expression target; do
        [[ -z $target ]] || echo "    RewriteRule \"^${expression//./\\.}\$\" \"$target\" [R=307,L]"
    done <<<"$moves"
    while read -r expression file; do
        [[ -n $file ]] || continue
        echo "    <LocationMatch \"$expression\">"
        echo '        SetHandler default-handler'
        echo "        Header always set Content-Security-Policy \"$page_policy\""
        echo '        Header always set X-Content-Type-Options nosniff'
        echo '        Header always set Cache-Control no-cache'
        echo '    </LocationMatch>'
        echo "    RewriteRule \"$expression\" \"$folder/$file\" [L]"
    done <<<"$page_files"
    echo "    AliasMatch \"$catalogue_expression\" \"$checkout/\$1\""
    echo "    AliasMatch \"$made_expression\" \"$dir/conf/made/\$1\""
    echo "    AliasMatch \"$asset_expression\" \"$checkout/static/\$1\""
    echo "    Alias \"/locales/\" \"$checkout/locales/\""
    echo '</VirtualHost>'
}

render_apache() {
    local service pool
    {
        echo '# Written by nginx/stack. Include it in the configuration of Apache httpd 2.4 with the modules'
        echo '# alias, authz_core, env, headers, mime, proxy, proxy_fcgi and rewrite.'
        for pool in "${pools[@]}"; do
            echo "<Proxy \"unix:$dir/run/$pool.sock|fcgi://$pool/\">"
            echo "    ProxySet timeout=$((pool_seconds[$pool] + 5)) flushpackets=on"
            echo '</Proxy>'
        done
        for service in "${services[@]}"; do ! has_port "$service" || apache_service "$service"; done
    } >"$conf/apache.conf" || fail "cannot write $conf/apache.conf"
}

lighttpd_service() {
    local service=$1 folder=$dir/conf/pages/$1 expression pool cap seconds file target rules page_files moves
    list_rules "$service"
    write_whole_pages "$service" "$conf/pages/$service"
    echo "\$SERVER[\"socket\"] == \"$(bracketed "${service_bind[$service]}"):${service_port[$service]}\" {"
    echo "    server.document-root = \"$folder\""
    echo "    setenv.set-environment = ( \"SITE_ORIGIN\" => \"$(public_url "$service")\" )"
    echo '    url.redirect-code = 307'
    echo '    url.redirect = ('
    while read -r expression target; do
        [[ -z $target ]] || echo "        \"^${expression//./\\.}\$\" => \"$target\","
    done <<<"$moves"
    echo '    )'
    echo '    url.rewrite-once = ('
    while read -r expression file; do [[ -z $file ]] || echo "        \"$expression\" => \"/$file\","; done <<<"$page_files"
    echo "        \"$catalogue_expression\" => \"/\$1\","
    echo "        \"$made_expression\" => \"/assay-made/\$1\","
    echo "        \"$asset_expression\" => \"/assay-static/\$1\","
    echo '    )'
    echo "    alias.url = ( \"/assay-made/\" => \"$dir/conf/made/\", \"/assay-static/\" => \"$checkout/static/\", \"/locales/\" => \"$checkout/locales/\" )"
    echo '    $HTTP["url"] =~ "^/(assay-static/|assay-made/|locales/|[a-z]+\.html$)" {'
    echo "        setenv.add-response-header = ( \"Content-Security-Policy\" => \"$page_policy\","
    echo '            "X-Content-Type-Options" => "nosniff", "Cache-Control" => "no-cache" )'
    echo '    }'
    while read -r expression pool cap seconds; do
        [[ -n $pool ]] || continue
        echo "    else \$HTTP[\"url\"] =~ \"$expression\" {"
        echo "        server.max-request-size = $((cap / 1024))"
        echo "        fastcgi.server = ( \"/\" => (( \"socket\" => \"$dir/run/$pool.sock\", \"check-local\" => \"disable\","
        echo "            \"read-timeout\" => $((seconds + 5)) )) )"
        echo '    }'
    done <<<"$rules"
    echo '}'
}

render_lighttpd() {
    local service
    {
        echo '# Written by nginx/stack. Include it in the configuration of lighttpd 1.4 with the modules'
        echo '# mod_alias, mod_fastcgi, mod_redirect, mod_rewrite and mod_setenv.'
        echo 'server.stream-response-body = 1'
        for service in "${services[@]}"; do ! has_port "$service" || lighttpd_service "$service"; done
    } >"$conf/lighttpd.conf" || fail "cannot write $conf/lighttpd.conf"
}

# Writes a script for a responder: exports its settings, then executes it.
write_cgi_script() {
    local pool=$1 script=$2
    complete_settings "${pool%%-*}"
    responder_setting[SITE_ORIGIN]=$(public_url "${pool%%-*}")
    write_unit_environment "$pool"
    cat >"$script" <<SCRIPT || fail "cannot write $script"
#!/bin/sh
set -a
. '$dir/run/$pool.environment'
set +a
cd '$dir' && exec '$build/fcgi-bin/$pool'
SCRIPT
    chmod 755 "$script"
}

cgi_service() {
    local service=$1 folder=$2 expression pool cap seconds file target rules page_files moves
    list_rules "$service"
    write_whole_pages "$service" "$folder"
    mkdir -p "$folder/programs"
    for pool in $(pools_of "$service"); do
        write_cgi_script "$service-$pool" "$folder/programs/$service-$pool.fcgi"
    done
    cp -r "$pages/made" "$folder/made" || fail "cannot write to $folder"
    ln -s "$checkout/static" "$folder/assets"
    ln -s "$checkout/locales" "$folder/locales"
    {
        echo '# Written by nginx/stack. Responders are started by mod_fcgid where it is there, else as CGI programs.'
        echo 'Options +ExecCGI +FollowSymLinks -Indexes -MultiViews'
        echo 'CGIPassAuth On'
        echo 'AddHandler cgi-script .fcgi'
        echo '<IfModule mod_fcgid.c>'$'\n''    AddHandler fcgid-script .fcgi'$'\n''</IfModule>'
        echo 'RewriteEngine On'
        echo 'RewriteRule ^programs/ - [F]'
        echo "RewriteRule \"^${catalogue_expression#^/}\" \$1 [DPI,END]"
        echo "RewriteRule \"^${made_expression#^/}\" made/\$1 [DPI,END]"
        echo "RewriteRule \"^${asset_expression#^/}\" assets/\$1 [DPI,END]"
        echo 'RewriteRule ^locales/ - [END]'
        while read -r expression target; do
            [[ -z $target ]] || echo "RewriteRule \"^${expression#/}\$\" \"$target\" [R=307,END]"
        done <<<"$moves"
        while read -r expression pool cap seconds; do
            [[ $expression != ^/ ]] || write_page_rules
            [[ -z $pool ]] || echo "RewriteRule \"^${expression#^/}\" programs/$pool.fcgi [DPI,END]"
        done <<<"$rules"
    } >"$folder/.htaccess" || fail "cannot write $folder/.htaccess"
}

write_page_rules() {
    local expression file
    while read -r expression file; do
        [[ -z $file ]] || echo "RewriteRule \"^${expression#^/}\" $file [DPI,END]"
    done <<<"$page_files"
}

render_cgi() {
    local service
    for service in "${services[@]}"; do ! has_port "$service" || cgi_service "$service" "$conf/cgi/$service"; done
}

# Writes into the new configuration, as render_all() does for nginx.
render_other_server() {
    conf=$dir/conf.new
    rm -rf "$conf"
    mkdir -p "$conf" || fail "cannot write to $dir"
    prepare_pages
    cp -r "$pages/made" "$conf/made" || fail "cannot write to $conf"
    read_pages || fail "cannot read $checkout/static/pages.json"
    "render_$web_server"
}
