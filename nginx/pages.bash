# Writes what every page of the browser UI shares, from one list: static/pages.json. nginx puts the
# pieces into the page by its server-side includes, so that nothing in it moves once it is shown.
# Sourced by nginx/stack.
#
#   <dir>/conf/shell/<service>/<page>-head     styles, scripts, modules to fetch early, English texts
#   <dir>/conf/shell/<service>/<page>-header   skip link, header, navigation
#   <dir>/conf/shell/<service>/footer

# Sets $build_id: the same for the same files, whatever host they lie on.
name_build() {
    build_id=$(cd "$checkout/static" && find . -type f -not -path './node_modules/*' -not -path './tools/*' \
        -print0 | sort -z | xargs -0 sha256sum | sha256sum)
    build_id=${build_id:0:12}
}

# Sets $resolved: what $2 means in the file $1, both below static/.
resolve_import() {
    local part parts=() kept=() IFS=/
    read -ra parts <<<"${1%/*}/$2"
    for part in "${parts[@]}"; do
        case $part in
            . | '') ;;
            ..) ((${#kept[@]} == 0)) || unset 'kept[-1]' ;;
            *) kept+=("$part") ;;
        esac
    done
    resolved="${kept[*]}"
}

# Fills `imports`: file below static/ → the modules that it imports when it is loaded.
declare -A imports=()
read_imports() {
    local file target resolved
    imports=()
    while IFS=: read -r file target; do
        resolve_import "$file" "$target"
        imports[$file]+="$resolved "
    done < <(cd "$checkout/static" && grep -rHoP --include='*.js' --exclude-dir={node_modules,tools} \
        --exclude-dir={swagger-ui,redoc}-\* "(?:\bfrom\s*|^import\s*)['\"]\K\.[^'\"]+(?=['\"])" .)
}

# Sets $modules to all that the module $1 needs, itself first. Names begin with ./ as grep has them.
modules_of() {
    local -A seen=(["$1"]=1)
    local queue=("$1") file next
    modules=()
    while ((${#queue[@]} > 0)); do
        file=${queue[0]} queue=("${queue[@]:1}")
        modules+=("$file")
        for next in ${imports[./$file]:-}; do
            [[ -z ${seen[$next]:-} ]] || continue
            seen[$next]=1
            queue+=("$next")
        done
    done
}

# Catalogues of a page, the common one first: those that are there.
catalogues_of() {
    local folder
    catalogues=()
    for folder in shared "$1" "$1/$2"; do
        [[ ! -e $checkout/static/$folder/locales/en.json ]] || catalogues+=("$folder/locales")
    done
}

# The English texts stand in the page itself: no language waits for them, and none is without them.
english_texts() {
    local files=("${catalogues[@]/#/$checkout/static/}")
    jq -c -s 'add' "${files[@]/%//en.json}" | sed 's/</\\u003c/g'
}

# Where the script of a page lies, as modules_of() wants it.
script_of() {
    case $2 in
        docs | redoc) script=shared/viewers/$2.js ;;
        *) script=$1/$2/page.js ;;
    esac
}

write_head() {
    local service=$1 page=$2 base=/static/$build_id sheet sheets module catalogues modules script
    catalogues_of "$service" "$page"
    script_of "$service" "$page"
    sheets=(shared/{tokens,base,controls,components,overlays,content,chart} "$service/$service" "$service/$page/page")
    [[ $script != shared/viewers/* ]] || sheets+=(shared/viewers/viewers)
    echo '<meta name="viewport" content="width=device-width, initial-scale=1" />'
    echo "<link rel=\"icon\" href=\"$base/shared/favicon.svg\" type=\"image/svg+xml\" />"
    for module in "$checkout"/static/vendor/inter-*/inter-latin-*.woff2; do
        echo "<link rel=\"preload\" href=\"$base/${module#"$checkout/static/"}\" as=\"font\" type=\"font/woff2\" crossorigin />"
    done
    echo "<script src=\"$base/shared/boot.js\" data-catalogues=\"${catalogues[*]}\"></script>"
    for sheet in "${sheets[@]}"; do
        [[ ! -e $checkout/static/$sheet.css ]] ||
            echo "<link rel=\"stylesheet\" href=\"$base/$sheet.css\" />"
    done
    modules_of "$script"
    for module in "${modules[@]:1}"; do
        echo "<link rel=\"modulepreload\" href=\"$base/$module\" />"
    done
    echo "<script type=\"module\" src=\"$base/$script\"></script>"
    printf '<script type="application/json" id="texts">%s</script>\n' "$(english_texts)"
}

# The links of the navigation, $2 being the page that is shown.
write_navigation() {
    local name path current page
    while IFS=$'\t' read -r page path name; do
        current=''
        [[ $page != "$2" ]] || current=' aria-current="page"'
        echo "<li><a href=\"$path\"$current data-i18n=\"nav.$page\">$name</a></li>"
    done < <(page_rows "$1" '.menu != false')
}

write_header() {
    local links
    links=$(write_navigation "$1" "$2")
    fill_page header SERVICE "$1" NAME "${1^}" LINKS "$links"
    [[ -n $links ]] || filled=${filled//'data-nav="pages"'/'data-nav="none"'}
    [[ $1 != portal ]] || filled=${filled//'class="brand-service"'/'class="brand-service" hidden'}
    printf '%s' "$filled"
}

# As fill(), of a piece of a page.
fill_page() {
    local name=$1
    shift
    fill "../pages/$name" "$@"
}

# page, path, English name: a line for each page of a service that fits, its API viewers at the end.
page_rows() {
    jq -r --arg service "$1" "
        (.[\$service] // [])
        + (if \$service == \"portal\" then [] else [
            {page: \"docs\", path: \"/docs\", name: \"Try the API\"},
            {page: \"redoc\", path: \"/redoc\", name: \"API reference\"}] end)
        | .[] | select(.to == null) | select(${2:-true}) | [.page, .path, .name] | @tsv" "$checkout/static/pages.json"
}

# The pages that the portal leads to, as JSON.
page_list() {
    jq -c --arg service "$1" '[(.[$service] // [])[] | select(.menu != false and .to == null) | {page, path, name}]
        + [{page: "redoc", path: "/redoc", name: "API reference"}]' "$checkout/static/pages.json"
}

# The pieces of one service's pages.
render_shell() {
    local service=$1 to=$conf/shell/$1 page path name filled
    mkdir -p "$to"
    fill_page footer
    printf '%s' "$filled" >"$to/footer"
    while IFS=$'\t' read -r page path name; do
        write_head "$service" "$page" >"$to/$page-head"
        write_header "$service" "$page" >"$to/$page-header"
    done < <(page_rows "$service")
}

# Sets $filled to the locations of the pages of a service. Paths with a {parameter} come last.
render_pages() {
    local service=$1 page path name file match exact='' open=''
    while IFS=$'\t' read -r page path name; do
        file=/$page/page.html
        [[ $path != / ]] || file=/index.html
        match="= $path"
        [[ $path != *'{'* ]] || match="~ \"^$(sed -E 's/\{[a-z_]+\}/[^\/]+/g' <<<"$path")\$\""
        fill page MATCH "$match" FILE "$file"
        if [[ $path == *'{'* ]]; then open+=$filled; else exact+=$filled; fi
    done < <(page_rows "$service" '.page != "docs" and .page != "redoc"')
    while IFS=$'\t' read -r path file; do
        fill page-redirect PATH "$path" TO "$file"
        exact+=$filled
    done < <(jq -r --arg service "$service" '(.[$service] // [])[] | select(.to != null) | [.path, .to] | @tsv' \
        "$checkout/static/pages.json")
    filled=$exact$open
}
