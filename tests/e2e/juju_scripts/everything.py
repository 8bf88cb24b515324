"""Calls of jubilant, as its users make them, each checked. The model is empty, `juju` on the path is periapt.

Arguments: the packed charms site and front.
"""

import json
import pathlib
import sys
import tempfile

import jubilant

SITE, FRONT = (str(pathlib.Path(path).absolute()) for path in sys.argv[1:3])
failed = []


def step(name):
    """Runs the decorated function now and remembers whether it failed."""

    def run(function):
        try:
            function()
        except Exception as error:  # every step is told, whatever happens in one
            failed.append(f'{name}: {type(error).__name__}: {error}')
            if isinstance(error, jubilant.CLIError):
                failed.append(f'  {error.stderr}')

    return run


def refused(call, *words):
    """What periapt does not have fails with an explanation."""
    try:
        call()
    except jubilant.CLIError as error:
        assert error.returncode == 1, error.returncode
        assert 'ERROR' in error.stderr, error.stderr
        for word in words:
            assert word in error.stderr, error.stderr
    else:
        raise AssertionError('was not refused')


juju = jubilant.Juju(wait_timeout=180)


@step('version')
def _():
    version = juju.version()
    assert version.tuple >= (3, 6, 0), version
    assert version.arch in ('amd64', 'arm64'), version


@step('add_model')
def _():
    juju.add_model('scripts', config={'test-mode': True, 'default-base': 'ubuntu@24.04'})
    assert juju.model == 'scripts'


@step('model_config')
def _():
    assert juju.model_config()['test-mode'] is True
    juju.model_config({'update-status-hook-interval': '10m', 'image-stream': 'daily'})
    assert juju.model_config()['image-stream'] == 'daily'
    juju.model_config(reset=['image-stream'])
    assert juju.model_config()['image-stream'] == 'released'


@step('model_constraints')
def _():
    juju.model_constraints({'cores': 1})
    assert juju.model_constraints()['cores'] == 1, juju.model_constraints()


@step('deploy')
def _():
    juju.deploy(
        pathlib.Path(SITE),
        'site',
        base='ubuntu@24.04',
        bind={'website': 'alpha'},
        channel='latest/stable',
        config={'title': 'Scripts'},
        constraints={'cores': 1},
        force=True,
        num_units=2,
        to='lxd',
        trust=True,
    )
    juju.deploy(FRONT, 'front')
    # front waits for a site to be related to.
    juju.wait(lambda status: jubilant.all_active(status, 'site') and jubilant.all_waiting(status, 'front'))
    juju.wait(lambda status: jubilant.all_agents_idle(status, 'site', 'front'), successes=1)


@step('status')
def _():
    status = juju.status()
    assert status.model.name == 'scripts'
    assert status.apps['site'].is_active and not status.apps['site'].exposed
    assert len(status.get_units('site')) == 2
    assert any(unit.leader for unit in status.apps['site'].units.values())
    assert all(machine.juju_status.current == 'started' for machine in status.machines.values())
    str(status)


@step('show_model')
def _():
    shown = juju.show_model()
    assert shown.short_name == 'scripts' and shown.model_type == 'iaas', shown
    assert shown.users['admin'].access == 'admin', shown
    assert shown.users['admin'].last_connection, shown
    assert shown.status.current == 'available', shown
    assert shown.machines, shown


@step('config')
def _():
    assert juju.config('site')['title'] == 'Scripts'
    assert juju.config('site', app_config=True)['trust'] is True
    juju.config('site', {'title': 'Changed'}, reset='theme')
    assert juju.config('site')['title'] == 'Changed'
    juju.config('site', reset=['title'])
    assert juju.config('site')['title'] == 'My site'


@step('trust')
def _():
    juju.trust('site', remove=True)
    assert juju.config('site', app_config=True)['trust'] is False
    juju.trust('site', scope='cluster')
    assert juju.config('site', app_config=True)['trust'] is True


@step('integrate, remove_relation')
def _():
    juju.integrate('front:website', 'site:website')
    juju.wait(lambda status: 'website' in status.apps['front'].relations, successes=1)
    juju.wait(jubilant.all_active)
    juju.wait(jubilant.all_agents_idle)
    shown = juju.show_unit('front/0')
    assert shown.relation_info[0].related_endpoint == 'website', shown
    assert shown.relation_info[0].local_unit.in_scope, shown
    juju.remove_relation('front', 'site')
    juju.wait(lambda status: not status.apps['front'].relations, successes=1)


@step('show_unit')
def _():
    shown = juju.show_unit('site/0')
    assert shown.charm.startswith('local:site-'), shown
    assert shown.leader in (True, False) and shown.machine, shown


@step('run')
def _():
    task = juju.run('site/0', 'rebuild', {'pages': 1})
    assert task.success and task.status == 'completed', task
    assert task.results['pages']['built'] == 1, task
    assert task.log, task
    assert juju.run('site/leader', 'rebuild', wait=60).success
    try:
        juju.run('site/0', 'no-such-action')
    except ValueError:
        pass
    else:
        raise AssertionError('an action that is not there ran')


@step('exec')
def _():
    task = juju.exec('list', '--long', unit='site/0')
    assert task.success and 'index.html' in task.stdout, task
    assert juju.exec('df', machine=0).success
    try:
        juju.exec('list', '--nonsense', unit='site/0', wait=60)
    except jubilant.TaskError as error:
        assert error.task.return_code == 2, error
    else:
        raise AssertionError('a command that fails succeeded')


@step('secrets')
def _():
    uri = juju.add_secret('database', {'password': 'correct horse'}, info='of the shop')
    assert uri.startswith('secret:'), uri
    [secret] = juju.secrets()
    assert secret.uri.unique_identifier == uri.unique_identifier, secret
    assert (secret.name, secret.description, secret.revision) == ('database', 'of the shop', 1)
    assert secret.owner == '<model>' and secret.created, secret
    assert juju.secrets(owner='site') == []
    juju.grant_secret(uri, ['site', 'front'])
    juju.update_secret(uri, {'password': 'battery staple'}, info='newer', auto_prune=False)
    revealed = juju.show_secret('database', reveal=True)
    assert revealed.content == {'password': 'battery staple'}, revealed
    first = juju.show_secret(uri, reveal=True, revision=1)
    assert first.content == {'password': 'correct horse'}, first
    assert juju.show_secret(uri, revision=1).revision == 1
    shown = juju.show_secret(uri, revisions=True)
    assert [one.revision for one in shown.revisions] == [1, 2], shown
    assert {one.target for one in shown.access} == {'application-site', 'application-front'}
    juju.remove_secret(uri, revision=1)
    juju.update_secret('database', {'password': 'third'}, name='renamed', auto_prune=True)
    juju.remove_secret('renamed')
    assert juju.secrets() == []


@step('add_unit, remove_unit')
def _():
    juju.add_unit('site', num_units=1, to='0')
    juju.add_unit('site', to=['lxd:0'])
    juju.wait(lambda status: jubilant.all_active(status, 'site') and len(status.apps['site'].units) == 4)
    juju.remove_unit('site', num_units=2)
    juju.remove_unit('site/1', destroy_storage=True, force=True)
    juju.wait(lambda status: set(status.apps['site'].units) == {'site/0'})


@step('add_machine')
def _():
    before = set(juju.status().machines)
    juju.add_machine(base='ubuntu@24.04', constraints={'cores': 1}, disks='4G', num_machines=2)
    juju.add_machine('lxd')
    juju.wait(lambda status: len(set(status.machines) - before) == 3, successes=1)


@step('refresh')
def _():
    juju.refresh('site', path=SITE, base='ubuntu@24.04', force=True, trust=True, config={'title': 'Newer'})
    juju.wait(lambda status: jubilant.all_active(status, 'site'))
    assert juju.config('site')['title'] == 'Newer'


@step('debug_log')
def _():
    everything = juju.debug_log()
    assert len(everything.splitlines()) > 20, everything
    assert len(juju.debug_log(limit=3).splitlines()) == 3


@step('storage')
def _():
    juju.deploy(SITE, 'stored', storage={'pages': 'rootfs,1,10M'})
    juju.wait(lambda status: jubilant.all_active(status, 'stored'))
    assert juju.status().storage.storage, juju.status()


@step('resources')
def _():
    with tempfile.NamedTemporaryFile('w', suffix='.css') as theme:
        theme.write('h1 { color: teal }')
        theme.flush()
        juju.deploy(SITE, 'themed', resources={'theme': theme.name})
        juju.refresh('themed', path=SITE, resources={'theme': theme.name})


@step('bundle')
def _():
    with tempfile.TemporaryDirectory() as folder:
        bundle = pathlib.Path(folder) / 'bundle.yaml'
        bundle.write_text(json.dumps({'applications': {'bundled': {'charm': SITE, 'num_units': 1}}}))
        overlay = pathlib.Path(folder) / 'overlay.yaml'
        overlay.write_text(json.dumps({'applications': {'bundled': {'options': {'title': 'Laid over'}}}}))
        juju.deploy(bundle, overlays=[overlay])
    assert juju.config('bundled')['title'] == 'Laid over'


@step('remove_application')
def _():
    juju.remove_application('front', 'bundled', 'themed')
    juju.remove_application('stored', destroy_storage=True, force=True)
    juju.wait(lambda status: set(status.apps) == {'site'})


@step('ssh keys')
def _():
    juju.add_ssh_key('ssh-ed25519 AAAA someone@somewhere')
    juju.remove_ssh_key('someone@somewhere')


@step('what is not there')
def _():
    refused(lambda: juju.ssh('site/0', 'ls', '-l', user='ubuntu'), 'exec')
    refused(lambda: juju.scp('site/0:a', 'b', host_key_checks=False), 'attach-resource')
    refused(lambda: juju.offer('site', endpoint='website'), 'integrate')
    refused(lambda: juju.consume('other.site', 'alias'), 'integrate')
    refused(lambda: juju.add_cloud('moon', {'clouds': {}}, client=True), 'periapt clouds')
    refused(lambda: juju.update_cloud('moon', {'clouds': {}}, client=True), 'periapt clouds')
    refused(lambda: juju.add_credential('moon', {'credentials': {}}, client=True), '--credential')


@step('temp_model')
def _():
    with jubilant.temp_model(config={'test-mode': True}) as temporary:
        temporary.deploy(SITE)
        temporary.wait(jubilant.all_active, error=jubilant.any_error)
        name = temporary.model
    refused(lambda: juju.cli('status', '-m', name, include_model=False), name)


@step('destroy_model')
def _():
    juju.destroy_model('scripts', destroy_storage=True, force=True, no_wait=True, timeout=120)
    assert juju.model is None


@step('bootstrap')
def _():
    juju.bootstrap(
        'localhost',
        'second',
        bootstrap_base='ubuntu@24.04',
        bootstrap_constraints={'mem': '4G'},
        config={'audit-log-max-backups': 3},
        constraints={'cores': 1},
        force=True,
        model_defaults={'test-mode': True},
        to='zone=a',
    )
    second = jubilant.Juju(wait_timeout=60)
    second.add_model('elsewhere', controller='second')
    assert second.model == 'second:elsewhere'
    assert second.model_config()['test-mode'] is True
    juju.cli('kill-controller', 'second', '--no-prompt', include_model=False)


if failed:
    print('\n'.join(failed))
    sys.exit(1)
print('every call did what it says')
