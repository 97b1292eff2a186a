# The demonstration that `make run` makes: its language, and the setting of each service that asks for it. Sourced
# by tools/run-demo, which sets $checkout and $dir.

# Sets $demo_language: the one that the directory has; in a new directory that of LANG, else English. A directory
# that was used without a demonstration gets none, unless DEMO_LANGUAGE names one. DEMO_LANGUAGE=none: none.
choose_demo_language() {
    local file=$dir/state/demo-language wanted=${DEMO_LANGUAGE:-}
    demo_language=
    [[ $wanted != none ]] || return 0
    if [[ -s $file ]]; then
        demo_language=$(<"$file")
        return 0
    fi
    [[ -n $wanted || ! -e $dir/data ]] || return 0
    [[ -n $wanted ]] || wanted=${LC_ALL:-${LC_MESSAGES:-${LANG:-en}}}
    wanted=${wanted%%[._@-]*}
    [[ $wanted =~ ^[a-z]+$ && -f $checkout/config/demo/$wanted/support.yaml ]] || wanted=en
    demo_language=$wanted
    mkdir -p "$dir/state" && printf '%s\n' "$wanted" >"$file"
}

# A setting for the stack, unless assay.env or the environment gives it.
set_demo() {
    [[ -z ${!1:-} ]] && ! grep -q "^$1=" "$dir/assay.env" 2>/dev/null || return 0
    export "$1=$2"
}

ask_for_demo() {
    local name
    [[ -n $demo_language ]] || return 0
    for name in AB SUPPORT ORCH LIVE; do set_demo "${name}_DEMO_LANGUAGE" "$demo_language"; done
}

# A text of the browser UI in the language of the demonstration: demo_text '.pages.support["chat.sample_3"]'
demo_text() { jq -r "$1" "$checkout/locales/${demo_language:-en}.json"; }
