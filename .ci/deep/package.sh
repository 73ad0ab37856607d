#!/bin/sh
# Tests the tarball and the package on minimal systems that they support: help, manual page, completions, the demo, a server with
# TLS and a password, and removal. If a step can't run, the script reports the step and fails.
#
# Usage: .ci/deep/package.sh [FOLDER [SYSTEM…]]    as root, with debootstrap; FOLDER has the output of .ci/package (default: runs it)
# The variable USHER_ROOTS names the folder that keeps the bare systems between runs.
set -eu
cd "$(dirname "$0")/../.."

built=${1:-}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- bookworm trixie jammy noble
roots=${USHER_ROOTS:-/var/tmp/usher-roots}
mkdir -p "$roots"
work=$(mktemp -d)
root=
leave() {
    [ -z "$root" ] || { umount "$root/proc" "$root/dev" 2>/dev/null || true; }
    rm -rf --one-file-system "$work"
}
trap leave EXIT INT TERM

if [ -z "$built" ]; then
    built=$work/one
    .ci/package "$built" >/dev/null
    .ci/package "$work/two" >/dev/null
    for file in "$built"/*; do cmp "$file" "$work/two/${file##*/}"; done
    echo 'both builds are identical'
fi
(cd "$built" && sha256sum --check --quiet ./*.sha256)
deb=$(ls "$built"/usher_*.deb)
tarball=$(ls "$built"/usher-*.tar.xz)
lintian --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs --allow-root "$deb"
echo 'lintian reports no errors or warnings'

# Creates the archive of a bare system once; each test unpacks the archive.
bare() {
    [ -f "$roots/$1.tar" ] && return
    case $1 in
    bookworm | trixie) set -- "$1" http://deb.debian.org/debian main \
        /usr/share/keyrings/debian-archive-keyring.gpg sid ;;
    *) set -- "$1" http://archive.ubuntu.com/ubuntu main,universe \
        "$(.ci/deep/servers keys)" gutsy ;;
    esac
    rm -rf "$roots/$1"
    # The last argument is the script of debootstrap: new systems are created by the script of an older one.
    debootstrap --variant=minbase --components="$3" --keyring="$4" "$1" "$roots/$1" "$2" "$5" >"$roots/$1.log" 2>&1 || {
        tail -n 3 "$roots/$1.log"
        return 1
    }
    tar -C "$roots/$1" -cf "$roots/$1.tar" .
    rm -rf --one-file-system "${roots:?}/$1"
}

cat >"$work/inside" <<'END'
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
step() { printf '   %s\n' "$1"; }
# libpq is not installed, so a connection fails and names the package to install.
/usher/bin/usher version >/dev/null
/usher/bin/usher user show --help | grep -q 'usher user show'
if /usher/bin/usher -d 'host=/nowhere dbname=x' user list 2>/error; then exit 1; fi
grep -q 'libpq5 on Debian' /error || { cat /error; exit 1; }
step 'tarball: the error names the package to install'
rm -r /usher
apt-get update -qq
apt-get install -y -qq --no-install-recommends /usher.deb >/var/log/install 2>&1 || { tail -n 20 /var/log/install; exit 1; }
step "installed: $(usher version | tr -s ' \n' ' ')"
if ldd /usr/bin/usher | grep 'not found'; then exit 1; fi
if usher doctor >/doctor; then exit 1; fi
grep -q '→ check host and port' /doctor || { cat /doctor; exit 1; }
usher user show --help | grep -q 'usher user show'
for file in bash-completion/completions/usher zsh/vendor-completions/_usher fish/vendor_completions.d/usher.fish \
    usher/README.md usher/apps/impulse.sql doc/usher/copyright; do
    [ -s "/usr/share/$file" ] || grep -q "path-exclude=/usr/share/doc" /etc/dpkg/dpkg.cfg.d/* || { echo "no $file"; exit 1; }
done
for app in impulse xtablo; do usher app diff "/usr/share/usher/apps/$app.sql" $app; done
step 'help, completions, guide, app files'

apt-get install -y -qq --no-install-recommends postgresql openssl >/var/log/install 2>&1 || { tail -n 20 /var/log/install; exit 1; }
usher demo </dev/null >/demo 2>&1 || { cat /demo; exit 1; }
grep -q paywall /demo
step 'demo'

bin=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
mkdir /tls
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority -keyout /tls/ca.key -out /tls/ca.pem 2>/dev/null
openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout /tls/server.key -out /tls/request 2>/dev/null
openssl x509 -req -in /tls/request -CA /tls/ca.pem -CAkey /tls/ca.key -CAcreateserial -days 2 -out /tls/server.crt 2>/dev/null
echo sesame >/tls/password
chown -R postgres /tls
chmod 600 /tls/server.key
server() { su postgres -c "$bin/pg_ctl -D /tls/data -w -s $1"; }
su postgres -c "$bin/initdb -D /tls/data -A scram-sha-256 --pwfile=/tls/password >/dev/null"
cat >>/tls/data/postgresql.conf <<CONF
port = 54329
listen_addresses = '127.0.0.1'
unix_socket_directories = '/tls'
ssl = on
ssl_cert_file = '/tls/server.crt'
ssl_key_file = '/tls/server.key'
CONF
echo '127.0.0.1 localhost' >>/etc/hosts
server 'start -l /tls/log'
trap 'server "stop -m immediate"' EXIT
at='host=localhost port=54329 dbname=postgres user=postgres sslrootcert=/tls/ca.pem channel_binding=require'
PGPASSWORD=sesame usher -d "$at sslmode=verify-full" doctor >/doctor || [ $? -eq 1 ]
grep -E 'ok +TLS' /doctor >/dev/null || { cat /doctor; exit 1; }
if PGPASSWORD=wrong usher -d "$at sslmode=verify-full" doctor >/dev/null 2>&1; then exit 1; fi
if PGPASSWORD=sesame usher -d "$at sslmode=verify-full sslrootcert=/nowhere" doctor >/error 2>&1; then exit 1; fi
grep -q sslrootcert /error
if PGPASSWORD=sesame usher -d "$at sslmode=verify-full host=ip6-localhost hostaddr=127.0.0.1" doctor >/error 2>&1; then exit 1; fi
grep -q 'does not match host name' /error || { cat /error; exit 1; }
step 'TLS, verified, with a password'

apt-get purge -y -qq usher >/dev/null 2>&1
[ ! -e /usr/bin/usher ]
left=$(find / -xdev -name '*usher*' -not -path '/proc/*' -not -path '/usher.deb' -not -path '/root/.*' -not -path '/var/log/*' \
    -not -path '/var/cache/man/*' | head)
[ -z "$left" ] || { echo "the removal left $left"; exit 1; }
step 'removed'
END

failed=
for system in "$@"; do
    printf '== %s\n' "$system"
    bare "$system" || { echo '   not tested: debootstrap could not create this system'; failed="$failed $system"; continue; }
    root=$work/$system
    mkdir "$root"
    tar -C "$root" -xf "$roots/$system.tar"
    mount -t proc proc "$root/proc"
    mount --bind /dev "$root/dev"
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    cp "$deb" "$root/usher.deb"
    mkdir "$root/usher"
    tar -C "$root/usher" --strip-components=1 -xJf "$tarball"
    cp "$work/inside" "$root/inside"
    # Runs with only the variables that a new system sets.
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb ${http_proxy:+http_proxy=$http_proxy} \
        chroot "$root" sh /inside || failed="$failed $system"
    umount "$root/proc" "$root/dev"
    rm -rf --one-file-system "$root"
    root=
done
[ -z "$failed" ] || { echo "failed:$failed" >&2; exit 1; }
