# What scripts for Juju do, in Juju's words. `juju` on the path is periapt; $1 is the packed charm site.
set -euo pipefail
site=$1

juju version | grep -E '^3\.[0-9]+\.[0-9]+-[a-z]+-[a-z0-9]+$'
juju list-controllers --format json | grep '"current-controller": "tester"'
juju show-controller --format json | grep -q '"controller-uuid"'
juju clouds --client --all --format json
juju list-regions local
juju show-cloud local --include-config | grep 'type: local'

juju add-model --no-switch scripts --config test-mode=true --config default-base=ubuntu@24.04
export JUJU_MODEL=scripts
juju model-config test-mode | grep -x true
juju model-config | grep -E '^test-mode +model +true'
juju show-model scripts --format json | grep '"model-type": "iaas"'
juju add-ssh-key 'ssh-ed25519 AAAA someone'
juju spaces

juju deploy "$site" site --base ubuntu@24.04 --series noble --channel stable --trust --force \
    --constraints cores=1 --bind 'website=alpha' --to lxd
juju wait-for application site --timeout 3m --query='status=="active"' --summary
juju show-status --format json --integrations --storage --retry-count 3 --retry-delay 1s >status.json
juju --debug status -v --color >/dev/null
juju show-machine 0 --format json | grep -q '"instance-id"'

juju scale-application site 3
juju wait-for application site --query 'len(units)==3 && forEach(units, unit => unit.workload-status=="active")'
juju remove-unit site --num-units 1 --no-prompt
juju wait-for application site --query 'len(units)==2'
juju remove-unit site/1 --dry-run | grep -q . && exit 1
juju remove-unit site/1 --no-prompt --destroy-storage --force --no-wait
juju wait-for application site --query 'len(units)==1'

juju config site title=News
juju config site title | grep -x News
juju run site/0 rebuild pages=1 --format json | grep -q '"status": "completed"'
juju operations --limit 5 --offset 0 --format json | grep -q completed
juju show-status-log site/0 --days 1 --type unit --include-status-updates | grep -q active
juju show-status-log site/0 --from-date 2020-01-01 | grep -q active
juju debug-log --limit 2 --no-tail --firehose -o lines.txt
[ "$(wc -l <lines.txt)" = 2 ]
juju list-users scripts --format json | grep -q admin
juju list-models --user admin --all | grep -q scripts
juju list-machines
juju resolve --all
juju enable-destroy-controller
juju help commands | grep -q '^list-models '

status=0
juju status -m nothing 2>error.txt || status=$?
[ "$status" = 1 ] && grep -q '^ERROR ' error.txt
status=0
juju deploy 2>error.txt || status=$?
[ "$status" = 2 ] && grep -q '^ERROR ' error.txt
status=0
juju ssh site/0 -- ls -l 2>error.txt || status=$?
[ "$status" = 1 ] && grep -q 'periapt exec' error.txt
status=0
juju enable-ha -n 3 2>error.txt || status=$?
[ "$status" = 1 ] && grep -q 'controller join' error.txt

juju remove-application site --dry-run 2>&1 | grep -q 'will remove unit site/0'
juju remove-application site --no-prompt --destroy-storage
juju destroy-model scripts --no-prompt --destroy-storage --force --no-wait --timeout 2m
echo 'the script has run'
