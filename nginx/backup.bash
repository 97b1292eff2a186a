# Backup and restore: one archive of all databases of a stack and of their files. Sourced by nginx/stack.
# cron-bin/database backs up each database.
#
# In the archive: MANIFEST, SERVICE.sqlite3 or SERVICE.pgdump, SERVICE-files/ where a service keeps files
# beside its database, SERVICE-pepper where issued keys need the one of state/, and SHA256SUMS over all of it.

readonly published_pepper=assay-livedata # of versions without state/livedata-pepper
scratch=() # deleted when the command ends, also after an error

remove_scratch() {
    ((${#scratch[@]} == 0)) || rm -rf -- "${scratch[@]}"
    scratch=()
}

# on_database COMMAND SERVICE [FOLDER]
on_database() { (with_program_environment "$2" "$build/cron-bin/database" "$@"); }

# Sets $databases: the named services that have one, or those of the stack.
list_databases() {
    local service reason stores
    [[ -x $build/cron-bin/database ]] || fail "$build/cron-bin/database is not built; run make first"
    databases=()
    stores=("${services[@]}")
    ((${#wanted[@]} == 0)) || stores=("${wanted[@]}") # without accounts, which every selection has
    for service in "${stores[@]}"; do
        reason=$(on_database files "$service" 2>&1)
        case $? in
            0) databases+=("$service") ;;
            2) ;;
            *) fail "$reason" ;;
        esac
    done
    ((${#databases[@]} > 0)) || fail "of these services none keeps a database: ${services[*]}"
}

# Sets $files: the folder of files that belongs to the database of service $1, empty without one.
find_files() {
    files=$(on_database files "$1") || fail "the settings of $1 cannot be read"
    [[ -z $files || $files == /* ]] || files=$dir/$files
}

# Creates a temporary folder for this command: $work.
make_work_folder() {
    work=$dir/tmp/$1
    exec {work_lock}<"$dir/tmp" || fail "cannot read $dir/tmp"
    flock -n "$work_lock" || fail "another backup is being taken or brought back in $dir"
    rm -rf "$work" || fail "cannot remove $work"
    (umask 077 && mkdir "$work") || fail "cannot create $work"
    scratch+=("$work")
}

# Adds the current files of service $1: as hard links if the file system allows it, because files are never
# modified. Files may be deleted meanwhile.
gather_files() {
    local link tries files
    find_files "$1"
    [[ -n $files && -d $files ]] || return 0
    (umask 077 && mkdir -p "$work/$1-files") || fail "cannot write to $work"
    for link in --link ''; do
        for tries in 1 2 3; do
            # shellcheck disable=SC2086
            ! cp -a $link --no-clobber -- "$files/." "$work/$1-files/" 2>"$work/complaint" || return 0
        done
    done
    fail "the files of $1 cannot be copied: $(tail -n 1 "$work/complaint")"
}

gather_pepper() {
    [[ ! -s $dir/state/$1-pepper ]] || (umask 077 && cp -- "$dir/state/$1-pepper" "$work/$1-pepper") ||
        fail "$dir/state/$1-pepper cannot be copied"
}

# Keys that are restored keep working: with the pepper that they were issued with, which is the published one where
# the archive has none.
restore_pepper() {
    [[ -n ${service_name[$1 pepper]:-} ]] || return 0
    if [[ -s $work/$1-pepper ]]; then cat "$work/$1-pepper"; else printf '%s' "$published_pepper"; fi |
        write_private "state/$1-pepper" || fail "cannot write to $dir/state"
}

# Copies files before and after the database: every file that it names existed at one of the two times.
command_backup() {
    local service file=$archive files folder='' part keep
    read_settings again
    list_databases
    number_setting ASSAY_BACKUP_KEEP 7 1 100000
    keep=$number
    make_directories
    if [[ -z $file ]]; then
        folder=${setting[ASSAY_BACKUP_DIR]:-backups}
        [[ $folder == /* ]] || folder=$dir/$folder
        (umask 077 && mkdir -p "$folder") || fail "cannot create $folder"
        file=$folder/assay-$(date -u +%Y%m%dT%H%M%SZ).tar.gz
    fi
    file=$(realpath -m -- "$file")
    [[ -d ${file%/*}/ && ! -d $file ]] || fail "$file: there is no such folder, or it is one itself"
    make_work_folder backup
    for service in "${databases[@]}"; do
        gather_files "$service"
        on_database backup "$service" "$work" || fail "the backup of $service has failed; $file was not written"
        gather_files "$service"
        gather_pepper "$service"
    done
    rm -f "$work/complaint"
    write_manifest
    part=${file%/*}/.${file##*/} # its suffix says how it is to be compressed
    scratch+=("$part")
    (umask 077 && tar --create --auto-compress --file="$part" --directory="$work" .) && sync "$part" &&
        mv -f -- "$part" "$file" && sync "${file%/*}" || fail "$file cannot be written"
    remove_scratch
    [[ -z $folder ]] || prune_backups "$folder" "$keep"
    note_backup "$file"
    echo "$file"
}

# For the pages of the portal, which show when the last backup was made. The backup is good without it.
note_backup() {
    local note=$dir/state/last-backup.json
    printf '{"made_at":"%s","size_bytes":%s}\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$(stat -c %s -- "$1")" >"$note.new" &&
        mv -f -- "$note.new" "$note" || echo "stack: $note cannot be written" >&2
}

write_manifest() {
    local service part
    {
        echo 'assay backup 1'
        echo "made $(date -u +%Y-%m-%dT%H:%M:%SZ)"
        for service in "${databases[@]}"; do
            for part in "$work/$service".{sqlite3,pgdump}; do
                [[ ! -f $part ]] || echo "service $service ${part##*/}"
            done
        done
    } >"$work/MANIFEST" &&
        (cd "$work" && find . -type f ! -name SHA256SUMS -print0 | sort -z | xargs -0 sha256sum >SHA256SUMS) ||
        fail "cannot write to $work"
}

# Keeps the newest $2 of the backups with generated names.
prune_backups() {
    local old=("$1"/assay-[0-9]*T[0-9]*Z.tar.gz)
    ((${#old[@]} <= $2)) || rm -f -- "${old[@]:0:${#old[@]}-$2}" || fail "old backups in $1 cannot be removed"
}

# All checks come before all changes.
command_restore() {
    local service wanted_services
    [[ -n $archive ]] || fail 'restore which FILE?'
    take_lock
    read_settings again
    ! anything_runs || fail "a stack is running in $dir; stop it first: nginx/stack stop --dir '$dir'"
    list_databases
    make_directories
    make_work_folder restore
    unpack_backup "$(realpath -m -- "$archive")"
    choose_services
    for service in "${wanted_services[@]}"; do
        on_database verify "$service" "$work" || fail "nothing was changed"
    done
    for service in "${wanted_services[@]}"; do restore_service "$service"; done
    remove_scratch
    echo "restored: ${wanted_services[*]}"
}

unpack_backup() {
    local head=''
    [[ -r $1 ]] || fail "cannot read $1"
    tar --extract --file="$1" --directory="$work" --no-same-owner ||
        fail "$1 cannot be unpacked; nothing was changed"
    { read -r head <"$work/MANIFEST"; } 2>/dev/null
    [[ $head == 'assay backup 1' ]] || fail "$1 is no backup of a stack; nothing was changed"
    (cd "$work" && sha256sum --quiet --check SHA256SUMS) || fail "$1 is damaged; nothing was changed"
}

# Sets $wanted_services: the named ones, or all that are in both the stack and the backup.
choose_services() {
    local service
    wanted_services=()
    for service in "${databases[@]}"; do
        if grep -q "^service $service " "$work/MANIFEST"; then
            wanted_services+=("$service")
        elif ((${#wanted[@]} > 0)); then
            fail "the backup has no database of $service; nothing was changed"
        else
            echo "stack: the backup has no database of $service, which is left as it is" >&2
        fi
    done
    ((${#wanted_services[@]} > 0)) || fail 'the backup has nothing of these services; nothing was changed'
}

# Restores the database, keeping the previous one, and then its files, keeping the previous ones.
restore_service() {
    local files fresh=$work/$1-files
    find_files "$1"
    if [[ -n $files ]]; then
        mkdir -p "$fresh" "${files%/*}" && rm -rf "$files.restored" && mv "$fresh" "$files.restored" ||
            fail "the files of $1 cannot be put beside $files"
        scratch+=("$files.restored")
    fi
    on_database restore "$1" "$work" || fail "the database of $1 was not restored: it is as it was before"
    restore_pepper "$1"
    [[ -n $files ]] || return 0
    { [[ ! -e $files ]] || mv "$files" "$files.before-$(date -u +%Y%m%dt%H%M%Sz)"; } &&
        mv "$files.restored" "$files" || fail "the files of $1 cannot be put in the place of $files"
}
