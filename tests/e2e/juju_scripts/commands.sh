# What scripts for Juju do, in Juju's words. `juju` on the path is periapt; $1 is the packed charm site.
set -euo pipefail
site=$1

# Reads all there is, so that nothing is written to a reader that is gone.
has() { grep "$@" >/dev/null; }
# has_failed STATUS WORDS COMMAND...: what fails so, and says why.
has_failed() {
    local wanted=$1 words=$2 status=0
    shift 2
    "$@" 2>error.txt || status=$?
    [ "$status" = "$wanted" ] || return 1
    has '^ERROR ' <error.txt || return 1
    has "$words" <error.txt
}

juju version | has -E '^3\.[0-9]+\.[0-9]+-[a-z]+-[a-z0-9]+$'
juju --version | has '^3\.'
juju list-controllers --format json | has '"current-controller": "tester"'
juju show-controller --format json | has '"controller-uuid"'
juju clouds --client --all --format json
juju list-regions local
juju show-cloud local --include-config | has 'type: local'

juju add-model --no-switch scripts --config test-mode=true --config default-base=ubuntu@24.04
export JUJU_MODEL=scripts
juju model-config test-mode | has -x true
juju model-config | has -E '^test-mode +model +true'
juju show-model scripts --format json | has '"model-type": "iaas"'
juju add-ssh-key 'ssh-ed25519 AAAA someone'
juju spaces

juju deploy "$site" site --base ubuntu@24.04 --series noble --channel stable --trust --force \
    --constraints cores=1 --bind 'website=alpha' --to lxd
juju wait-for application site --timeout 3m --query='status=="active"' --summary
juju show-status --format json --integrations --storage --retry-count 3 --retry-delay 1s >status.json
juju --debug status -v --color >/dev/null
juju show-machine 0 --format json | has '"instance-id"'

juju scale-application site 3
juju wait-for application site --query 'len(units)==3 && forEach(units, unit => unit.workload-status=="active")'
juju remove-unit site --num-units 1 --no-prompt
juju wait-for application site --query 'len(units)==2'
juju remove-unit site/1 --dry-run | (! has .)
juju remove-unit site/1 --no-prompt --destroy-storage --force --no-wait
juju wait-for application site --query 'len(units)==1'

juju config site title=News
juju config site title | has -x News
juju run site/0 rebuild pages=1 --format json | has '"status": "completed"'
juju operations --limit 5 --offset 0 --format json | has completed
juju show-status-log site/0 --days 1 --type unit --include-status-updates | has active
juju show-status-log site/0 --from-date 2020-01-01 | has active
juju debug-log --limit 2 --no-tail -o lines.txt
[ "$(wc -l <lines.txt)" = 2 ]
juju list-users scripts --format json | has admin
juju list-models --user admin --all | has scripts
juju list-machines
juju resolve --all
juju enable-destroy-controller
juju help commands | has '^list-models '

has_failed 1 nothing juju status -m nothing
has_failed 2 'deploy' juju deploy
has_failed 2 'remove-machine --keep-instance is refused' juju remove-machine 0 --keep-instance --no-prompt
has_failed 2 'debug-log --firehose is refused' juju debug-log --firehose
has_failed 2 'cannot be used with a path' juju deploy "$site" other --revision 3
has_failed 1 'periapt exec' juju ssh site/0 -- ls -l
has_failed 1 'controller join' juju enable-ha -n 3

juju remove-application site --dry-run 2>&1 | has 'will remove unit site/0'
juju remove-application site --no-prompt --destroy-storage
juju destroy-model scripts --no-prompt --destroy-storage --force --no-wait --timeout 2m
echo 'the script has run'
