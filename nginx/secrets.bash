# Secrets that a stack generates at its first start: the keys that sign sessions and encrypt stored keys, the first
# password of the administrator, the token of the operator routes and the pepper of issued keys, if the settings give
# none. They are stored only in state/, readable by the owner only.
# Sourced by nginx/stack; rows of nginx/services name the settings that replace them.

# Prints $1 random bytes as hexadecimal digits.
random_hex() { od -An -v -tx1 -N "$1" /dev/urandom | tr -d ' \n'; }

# Writes $2 random bytes into file $1 of state/ unless it exists; false if it existed.
make_secret() {
    [[ ! -s $dir/state/$1 ]] || return 1
    random_hex "$2" | write_private "state/$1" || fail "cannot write to $dir/state"
}

# The pepper of a service's issued keys: a new installation gets one. One that has keys already goes on with the value
# of the settings, and so do hosts that share a database: they have to share the setting, too.
make_pepper() {
    local service=$1 setting_name=${service_name[$1 pepper]:-}
    [[ -n $setting_name && -z ${setting[$setting_name]:-} && ! -e $dir/state/$service.identity &&
        ! -e $dir/data/$service.sqlite3 ]] || return 0
    [[ ${setting[${service_name[$service database]}]:-} != postgres* ]] || return 0
    make_secret "$service-pepper" 32 || return 0
}

# The administrator is one person: support and the suite have one first password for him.
password_file() { echo "${1/#accounts/support}-first-password"; }

make_secrets() {
    local service
    first_passwords=()
    for service in "${services[@]}"; do
        [[ -z ${service_name[$service secret]:-} || -n ${setting[${service_name[$service secret]}]:-} ]] ||
            make_secret "$service-secret" 32
        [[ -z ${service_name[$service password]:-} || -n ${setting[${service_name[$service password]}]:-} ]] ||
            ! make_secret "$(password_file "$service")" 12 || first_passwords+=("$service")
        [[ -z ${service_name[$service admin]:-} || -n ${setting[${service_name[$service admin]}]:-} ]] ||
            make_secret "$service-admin-token" 32
        make_pepper "$service"
    done
}

# Printed once, when they were generated.
print_first_passwords() {
    local service name
    for service in "${first_passwords[@]}"; do
        name=$(password_file "$service")
        printf '%-14s sign in as admin with %s   (kept in %s)\n' "$service" "$(<"$dir/state/$name")" "$dir/state/$name"
    done
}
