# Builds the common parts of the pages of the browser UI from one list: static/pages.json. nginx includes the
# fragments in the page (server-side includes), so that the layout does not shift. They depend only on files
# of the checkout, so all stacks started from it share them; they are rebuilt when one of these files has
# changed. Sourced by nginx/stack.
#
#   <build>/pages/<id>/made/                            modules and styles put together: static/tools/concatenate.js
#   <build>/pages/<id>/<service>/shell/<page>-head     styles, scripts, modules to fetch early, English texts
#   <build>/pages/<id>/<service>/shell/<page>-header   skip link, header, navigation
#   <build>/pages/<id>/<service>/shell/footer
#   <build>/pages/<id>/<service>/pages.conf            the locations of its pages
#   <build>/pages/<id>/<service>/area-pages.conf       the same below a prefix of the portal
#   <build>/pages/<id>/<service>/menu.json             the pages for the portal

# Sets $build_id: a hash of the files, independent of the host.
name_build() {
    build_id=$(cd "$checkout" && find static locales nginx/pages nginx/pages.bash nginx/templates -type f \
        -not -path 'static/node_modules/*' -not -path 'static/tools/vendor.js' -print0 | sort -z | xargs -0 sha256sum | sha256sum)
    build_id=${build_id:0:12}
}

# Sets $pages to the folder of the fragments. If the programs are in another user's folder, each stack builds
# its own fragments.
prepare_pages() {
    local made
    name_build
    pages=$build/pages/$build_id
    [[ ! -d $pages ]] || return 0
    if made=$( (umask 022 && mkdir -p "$build/pages" && mktemp -d "$build/pages/new.XXXXXX") 2>/dev/null); then
        find "$build/pages" -mindepth 1 -maxdepth 1 -mmin +1440 -exec rm -rf {} + # no longer in use
        (umask 022 && write_pages "$made") && chmod 755 "$made" || { rm -rf "$made"; fail "cannot make the pages in $build/pages"; }
        mv -T "$made" "$pages" 2>/dev/null || rm -rf "$made" # another process was first
    else
        pages=$dir/tmp/pages
        rm -rf "$pages"
        mkdir -p "$pages" && write_pages "$pages" || fail "cannot make the pages in $pages"
    fi
}

# Writes the fragments of all services that have pages into folder $1. The folder is cached, so an incomplete
# one is an error.
write_pages() {
    local service
    read_pages && read_languages && read_english && concatenate "$1/made" || return
    ((concatenated)) || read_imports || return
    for service in "${!page_rows[@]}"; do
        mkdir -p "$1/$service/shell" && render_shell "$service" "$1/$service/shell" &&
            render_pages "$service" >"$1/$service/pages.conf" &&
            render_pages "$service" area >"$1/$service/area-pages.conf" &&
            printf '%s' "${page_menus[$service]}" >"$1/$service/menu.json" || return
    done
}

# Sets $sheets to the style sheets of a page, as paths below static/, and $script to its script.
sheets_of() {
    local service=$1 page=$2 sheet
    sheets=()
    for sheet in shared/{tokens,base,controls,components,overlays,content,frame,chart} "$service/$service" "$service/$page/page"; do
        [[ ! -e $checkout/static/$sheet.css ]] || sheets+=("$sheet.css")
    done
    script_of "$service" "$page"
    [[ $script != shared/viewers/* ]] || sheets+=(shared/viewers/viewers.css)
}

# Puts the modules and sheets of each page together, into folder $1. Without Node, or without the files of
# vendor/, the pages work with many small requests.
concatenate() {
    local service page rest script sheets report
    concatenated=0
    mkdir -p "$1" || return
    command -v node >/dev/null || return 0
    for service in "${!page_rows[@]}"; do
        while read -r page rest; do
            sheets_of "$service" "$page"
            echo "$script ${sheets[*]}"
        done <<<"${page_rows[$service]}"
    done | sort -u >"$1/list"
    if report=$(node "$checkout/static/tools/concatenate.js" "$1" <"$1/list" 2>&1); then
        concatenated=1
    else
        echo "stack: the modules of the pages stay apart: $(grep -m 1 Error <<<"$report")" >&2
    fi
    rm -f "$1/list"
}

# Fills `imports`: file below static/ → the modules that it imports when loaded. awk resolves `.` and `..` in
# the paths.
declare -A imports=()
read_imports() {
    local file target
    imports=()
    while IFS=: read -r file target; do
        imports[$file]+="$target "
    done < <(cd "$checkout/static" && grep -rHoP --include='*.js' --exclude-dir={node_modules,tools} \
        --exclude-dir={swagger-ui,redoc}-\* "(?:\bfrom\s*|^import\s*)['\"]\K\.[^'\"]+(?=['\"])" . |
        awk -F: '{
            folder = $1
            sub("[^/]*$", "", folder)
            count = split(folder $2, parts, "/")
            depth = 0
            for (i = 1; i <= count; i++)
                if (parts[i] == "..") depth -= depth > 0
                else if (parts[i] != "." && parts[i] != "") kept[++depth] = parts[i]
            path = kept[1]
            for (i = 2; i <= depth; i++) path = path "/" kept[i]
            print $1 ":" path
        }')
    wait $!
}

# Sets $modules to all modules that module $1 needs, itself first. Names begin with ./ as in grep's output.
modules_of() {
    local -A seen=(["$1"]=1)
    local i next
    modules=("$1")
    for ((i = 0; i < ${#modules[@]}; i++)); do
        for next in ${imports[./${modules[i]}]:-}; do
            [[ -n ${seen[$next]:-} ]] || { seen[$next]=1 && modules+=("$next"); }
        done
    done
}

# Reads the languages: English first, the others by their tags. Sets $languages to the tags, $right_to_left to
# the right-to-left ones, $language_options to the options in the header.
read_languages() {
    local tag name direction others
    mapfile -t others < <(cd "$checkout/locales" && printf '%s\n' ??.json | grep -v '^en\.json$')
    languages=en right_to_left='' language_options=''
    while IFS=$'\t' read -r tag name direction; do
        [[ $tag == en ]] || languages+=" $tag"
        [[ $direction != rtl ]] || right_to_left+=${right_to_left:+ }$tag
        language_options+="                <option value=\"$tag\" lang=\"$tag\">$name</option>"$'\n'
    done < <(cd "$checkout/locales" && jq -r '[input_filename[:-5], .language.name, .language.direction] | @tsv' en.json "${others[@]}")
    wait $! || return
    language_options=${language_options%$'\n'}
}

# The existing sections of the catalogs that a page reads, the common one first, last those that it names.
sections_of() {
    local name
    sections=()
    for name in shared "$1" "$1/$2" ${page_texts[$1/$2]:-}; do
        [[ ! -v text_sections[$name] ]] || sections+=("$name")
    done
}

# The page contains the English texts: they need no request, and serve as fallback for every language. Fills
# `english`: sections of a page → their texts as JSON, for all pages.
declare -A english=() text_sections=()
read_english() {
    local service row sections name sets=() texts=() i
    english=() text_sections=()
    while read -r name; do text_sections[$name]=1; done < <(jq -r '.pages | keys[]' "$checkout/locales/en.json")
    wait $! || return
    for service in "${!page_rows[@]}"; do
        while read -r row; do
            sections_of "$service" "${row%%$'\t'*}"
            [[ -z ${english[${sections[*]}]+known} ]] || continue
            english[${sections[*]}]='' sets+=("${sections[*]}")
        done <<<"${page_rows[$service]}"
    done
    mapfile -t texts < <(jq -c '.pages as $pages | ($sets | split("|"))[] | [split(" ")[] | $pages[.]] | add' \
        --arg sets "$(IFS='|'; echo "${sets[*]}")" "$checkout/locales/en.json" | sed 's/</\\u003c/g')
    wait $! || return
    for i in "${!sets[@]}"; do english[${sets[i]}]=${texts[i]}; done
}

# The path of a page's script, in the form for modules_of().
script_of() {
    case $2 in
        docs | redoc) script=shared/viewers/$2.js ;;
        *) script=$1/$2/page.js ;;
    esac
}

write_head() {
    local place='data-prefix="<!--# echo var="site_prefix" -->" data-portal="<!--# echo var="site_portal" -->" data-api="<!--# echo var="site_api" -->"'
    local service=$1 page=$2 base=/static/$build_id sheet sheets module sections script
    sections_of "$service" "$page"
    script_of "$service" "$page"
    echo '<meta name="viewport" content="width=device-width, initial-scale=1" />'
    echo "<link rel=\"icon\" href=\"$base/shared/favicon.svg\" type=\"image/svg+xml\" />"
    for module in "$checkout"/static/vendor/inter-*/inter-latin-*.woff2; do
        echo "<link rel=\"preload\" href=\"$base/${module#"$checkout/static/"}\" as=\"font\" type=\"font/woff2\" crossorigin />"
    done
    echo "<script src=\"$base/shared/boot.js\" data-languages=\"$languages\" data-rtl=\"$right_to_left\" data-sections=\"${sections[*]}\" $place></script>"
    if ((concatenated)); then link_concatenated; else link_modules; fi
    printf '<script type="application/json" id="texts">%s</script>\n' "${english[${sections[*]}]}"
}

link_concatenated() {
    local name=${script%.js}
    name=$base/made/${name//\//-}
    echo "<link rel=\"stylesheet\" href=\"$base/made/shared.css\" />"
    echo "<link rel=\"stylesheet\" href=\"$name.css\" />"
    echo "<link rel=\"modulepreload\" href=\"$base/made/shared.js\" />"
    echo "<script type=\"module\" src=\"$name.js\"></script>"
}

link_modules() {
    local modules
    sheets_of "$service" "$page"
    for sheet in "${sheets[@]}"; do echo "<link rel=\"stylesheet\" href=\"$base/$sheet\" />"; done
    modules_of "$script"
    for module in "${modules[@]:1}"; do
        echo "<link rel=\"modulepreload\" href=\"$base/$module\" />"
    done
    echo "<script type=\"module\" src=\"$base/$script\"></script>"
}

# The services that the top bar leads to, in its order.
menu_services=(experiments support orchestrator livedata)

# What nginx fills in when it serves the page: the same fragments serve a port and the portal.
prefix_mark='<!--# echo var="site_prefix" -->'
portal_mark='<!--# echo var="site_portal" -->'

# The roles that each area gives.
declare -A area_name=([experiments]=experiments [support]=support [orchestrator]=models [livedata]=data [portal]=suite)
declare -A area_roles=([experiments]="viewer analyst admin" [support]="viewer agent reviewer admin" [orchestrator]="viewer analyst admin"
    [livedata]="viewer operator admin")

# Sets $shown_to to the attribute that names the roles $2... of service $1: `data-for="support:agent support:admin"`.
seen_by() {
    local service=$1 role
    shift
    shown_to=''
    for role; do
        [[ $role == *:* ]] || role=${area_name[$service]}:$role
        shown_to+=${shown_to:+ }$role
    done
    shown_to=${shown_to:+ data-for=\"$shown_to\"}
}

# The links to the areas; each leads to the first page of its menu, and names the first page that everybody
# sees for people who may not see that one (shell.js). $1 is the current service.
write_areas() {
    local service name current
    for service in "${menu_services[@]}"; do
        [[ -n ${page_rows[$service]:-} ]] || continue
        current=''
        [[ $service != "$1" ]] || current=' aria-current="true"'
        find_entry "$service"
        seen_by "$service" ${area_roles[$service]}
        name=${area_name[$service]}
        echo "<li data-area=\"$service\"$shown_to><a href=\"$entry\"$entry_else$current data-i18n=\"service.$service\">${name^}</a></li>"
    done
}

# Sets $entry to the address where an area begins, and $entry_else to the attributes for whoever may not see it.
find_entry() {
    local page menu path name roles rest base=$portal_mark${service_prefix[$1]}
    entry='' entry_else=''
    while IFS=$'\t' read -r page menu path name roles rest; do
        [[ $menu == true ]] || continue
        [[ -n $entry ]] || { entry=$base$path && seen_by "$1" ${roles#-} && entry_else=${shown_to/data-for/data-entry}; }
        [[ -n $entry_else ]] || return 0
        [[ $roles != - ]] || { entry_else+=" data-else=\"$base$path\"" && return; }
    done <<<"${page_rows[$1]}"
}

# The links of the navigation; $2 is the current page. A page that only some roles see names them. A page
# outside of the menu marks the entry that it belongs to.
write_navigation() {
    local name path menu roles under current page shown_to marked=$2
    while IFS=$'\t' read -r page menu path name roles under; do
        [[ $page != "$2" || $under == - ]] || marked=$under
    done <<<"${page_rows[$1]}"
    while IFS=$'\t' read -r page menu path name roles under; do
        current=''
        [[ $page != "$marked" ]] || current=' aria-current="page"'
        [[ $page == "$2" || -z $current ]] || current=' aria-current="true"'
        seen_by "$1" ${roles#-}
        [[ $page != docs ]] || shown_to+=' class="site-nav-api"'
        [[ $menu == false ]] || echo "<li$shown_to><a href=\"$prefix_mark$path\"$current data-i18n=\"nav.$page\">$name</a></li>"
    done <<<"${page_rows[$1]}"
}

# Whether a page has links at its side: of the portal's pages only those of the administration.
has_navigation() {
    local page menu path rest
    [[ $1 == portal ]] || return 0
    while IFS=$'\t' read -r page menu path rest; do
        [[ $page != "$2" || $path != /admin/* ]] || return 0
    done <<<"${page_rows[$1]}"
    return 1
}

# Sets $needed to the attribute of the roles of which a page needs one: those of its row, else any of its area
# (admission.js). Documents of the API and most pages of the portal are for everybody who is signed in.
find_needed() {
    local page menu path name roles rest shown_to
    needed=''
    [[ $2 != @(docs|redoc) ]] || return 0
    while IFS=$'\t' read -r page menu path name roles rest; do
        [[ $page == "$2" ]] || continue
        [[ $roles != - ]] || roles=${area_roles[$1]:-}
        seen_by "$1" $roles
        needed=${shown_to/data-for/data-needs}
        return 0
    done <<<"${page_rows[$1]}"
}

write_header() {
    local links needed
    links=$(write_navigation "$1" "$2")
    has_navigation "$1" "$2" || links=''
    find_needed "$1" "$2"
    fill_page header NEEDS "$needed" AREAS "$(write_areas "$1")" LINKS "$links" LANGUAGES "$language_options"
    [[ -n $links ]] || filled=${filled//'data-nav="pages"'/'data-nav="none"'}
    printf '%s' "$filled"
}

# As fill(), for a fragment of a page.
fill_page() {
    local name=$1
    shift
    fill "../pages/$name" "$@"
}

# Fills for each service: `page_rows`, one line per page: page, whether it is in the menu, path, English name,
# roles that see it and the page that it belongs to (- for none), with its API viewers at the end; `page_moves`,
# one line per redirect: path and target; `page_frames`, pages that other sites may show in a frame: page and
# path; `page_files`, single files: path and file; `page_menus`, the portal's menu as JSON; for SERVICE/PAGE `page_texts`,
# more sections of texts that a page reads, and `page_instead`, the page of the portal that takes its place there.
declare -A page_rows=() page_moves=() page_menus=() page_texts=() page_files=() page_frames=() page_instead=()
read_pages() {
    local service kind row
    page_rows=() page_moves=() page_menus=() page_texts=() page_files=() page_frames=() page_instead=()
    while IFS=$'\t' read -r service kind row; do
        case $kind in
            page) page_rows[$service]+=${page_rows[$service]:+$'\n'}$row ;;
            move) page_moves[$service]+=${page_moves[$service]:+$'\n'}$row ;;
            menu) page_menus[$service]=$row ;;
            file) page_files[$service]+=${page_files[$service]:+$'\n'}$row ;;
            framed) page_frames[$service]+=${page_frames[$service]:+$'\n'}$row ;;
            instead) page_instead[$service/${row%%$'\t'*}]=${row#*$'\t'} ;;
            texts) page_texts[$service/${row%%$'\t'*}]=${row#*$'\t'} ;;
        esac
    done < <(jq -r 'to_entries[] | .key as $service
        | (.value + (if $service == "portal" then [] else [
            ({page: "docs", path: "/docs", name: "Try the API"},
             {page: "redoc", path: "/redoc", name: "API reference"})
            | if $service == "support" then .roles = ["agent", "reviewer", "admin"] else . end] end)) as $pages
        | ($pages[]
            | if .file then [$service, "file", .path, .file]
              elif .framed then [$service, "framed", .page, .path]
              elif .to == null then [$service, "page", .page, .menu != false, .path, .name, ((.roles // ["-"]) | join(" ")), .under // "-"]
              else [$service, "move", .path, .to] end
            | @tsv),
          ($pages[] | select(.instead) | [$service, "instead", .page, .instead] | @tsv),
          ($pages[] | select(.texts) | [$service, "texts", .page, (.texts | join(" "))] | @tsv),
          "\($service)\tmenu\t\([$pages[] | select(.menu != false and .page and .page != "docs") | {page, path, name, roles}] | tojson)"
        ' "$checkout/static/pages.json")
    wait $!
}

# Writes the fragments of one service's pages into folder $2.
render_shell() {
    local service=$1 page rest filled
    fill_page footer
    printf '%s' "$filled" >"$2/footer"
    while read -r page rest; do
        write_head "$service" "$page" >"$2/$page-head" && write_header "$service" "$page" >"$2/$page-header" || return
    done <<<"${page_rows[$service]}"
}

# The locations of the pages of a service, with marks for the prefix of the service and the address of the
# portal. Paths with a {parameter} come last. With `area` as $2 below a prefix of the portal.
render_pages() {
    local service=$1 place=${2:-port} page menu path name file match filled open=''
    while IFS=$'\t' read -r page menu path name; do
        [[ $page != @(docs|redoc|missing) ]] || continue
        file=/$page/page.html
        [[ $path != / ]] || file=/index.html
        match="= @PREFIX@$path"
        [[ $path != *'{'* ]] || match="~ \"^@PREFIX@$(sed -E 's/\{[a-z_]+\}/[^\/]+/g' <<<"$path")\$\""
        if [[ $place == area && -n ${page_instead[$service/$page]:-} ]]; then
            fill page-instead PATH "@PREFIX@$path" TO "${page_instead[$service/$page]}" ELSE "@PREFIX@/"
        else
            fill page MATCH "$match" FILE "$file" SERVICE "$service"
        fi
        if [[ $path == *'{'* ]]; then open+=$filled; else printf '%s' "$filled"; fi
    done <<<"${page_rows[$service]}"
    while IFS=$'\t' read -r path file; do
        [[ -n $path ]] || continue
        fill page-redirect PATH "@PREFIX@$path" TO "@PREFIX@$file"
        printf '%s' "$filled"
    done <<<"${page_moves[$service]:-}"
    while IFS=$'\t' read -r page path; do
        [[ -n $path ]] || continue
        fill page-framed MATCH "= @PREFIX@$path" FILE "/$page/page.html" SERVICE "$service"
        printf '%s' "$filled"
    done <<<"${page_frames[$service]:-}"
    while IFS=$'\t' read -r path file; do
        [[ -n $path ]] || continue
        fill page-file PATH "@PREFIX@$path" FILE "$file"
        printf '%s' "$filled"
    done <<<"${page_files[$service]:-}"
    printf '%s' "$open"
}

# Copies the fragments of a service into the new configuration, and sets $filled to the locations of its pages
# below prefix $2, with links to the portal at $3, and the API at $4.
use_pages() {
    local name=pages
    filled=''
    [[ -d $pages/$1 ]] || return 0
    [[ -d $conf/shell/$1 ]] || cp -r "$pages/$1/shell" "$conf/shell/$1" || fail "cannot write to $conf/shell"
    [[ -z $2 ]] || name=area-pages
    IFS= read -r -d '' filled <"$pages/$1/$name.conf"
    filled=${filled//@PREFIX@/"$2"}
    filled=${filled//@PORTAL@/"$3"}
    filled=${filled//@API@/"$4"}
}

# The portal's data about a service: name, address, pools and pages, as JSON. The address was validated
# before, and the names are constants: nothing needs escaping.
portal_entry() {
    local names menu='[]'
    names=$(pools_of "$1" | sed 's/.*/"&"/' | paste -sd ,)
    [[ ! -e $pages/$1/menu.json ]] || menu=$(<"$pages/$1/menu.json")
    printf '{"name":"%s","url":"%s","path":"%s","pools":[%s],"pages":%s}' "$1" "$(public_url "$1")" \
        "${service_prefix[$1]}" "$names" "$menu"
}
