#!/bin/sh
# Starts Grafana without anybody's default password: with the one from GRAFANA_ADMIN_PASSWORD, or else with a random
# one that is drawn once and kept in Grafana's own volume. Grafana takes it when it first starts and keeps it in its
# database; later on it is changed there.
set -eu

kept="${GF_PATHS_DATA:-/var/lib/grafana}/pitot-admin-password"

if [ "${GF_SECURITY_ADMIN_PASSWORD:-}" = admin ]; then
  echo 'GRAFANA_ADMIN_PASSWORD is "admin", which is what everybody tries first: choose another one.' >&2
  exit 1
fi

if [ -z "${GF_SECURITY_ADMIN_PASSWORD:-}" ]; then
  unset GF_SECURITY_ADMIN_PASSWORD
  if [ ! -s "$kept" ]; then
    (umask 077 && head -c 24 /dev/urandom | base64 | tr -d '\n' > "$kept.new" && mv "$kept.new" "$kept")
  fi
  export GF_SECURITY_ADMIN_PASSWORD__FILE="$kept"
  echo "Grafana's user is admin; its password: docker compose exec grafana cat $kept"
fi

exec "$@"
