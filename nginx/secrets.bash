# Secrets that a stack generates at its first start: the key that signs sessions and the first password of the
# administrator and the token of the operator routes, if the settings give none. They are stored only in state/, readable by the owner only.
# Sourced by nginx/stack; rows of nginx/services name the settings that replace them.

# Prints $1 random bytes as hexadecimal digits.
random_hex() { od -An -v -tx1 -N "$1" /dev/urandom | tr -d ' \n'; }

# Writes $2 random bytes into file $1 of state/ unless it exists; false if it existed.
make_secret() {
    [[ ! -s $dir/state/$1 ]] || return 1
    random_hex "$2" | write_private "state/$1" || fail "cannot write to $dir/state"
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
