import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { CommandContext } from '../command-context.ts'
import { SilentExit } from '../exit-codes.ts'

type Options = {
  readonly rules?: string
  readonly proxy?: string
  readonly port?: string
  readonly host?: string
  readonly trustedProxies?: string
}

/** `greeting authorize`: runs the authorizer until the command is stopped. Its log goes to the output. */
export const addAuthorizeCommand = ({ program, terminal, services }: CommandContext) =>
  program
    .command('authorize')
    .description('answer a proxy which requests may pass to an API in any language')
    .option('--rules <file>', 'rules: a role for each method and path (RULES_FILE)')
    .option('--proxy <name>', 'nginx, haproxy, envoy, traefik or caddy (PROXY)')
    .option('--port <number>', 'port of the listener; default 4100 (PORT)')
    .option('--host <host>', 'address of the listener; default 127.0.0.1 (HOST)')
    .option(
      '--trusted-proxies <list>',
      'addresses and networks that may ask; default: this machine (TRUSTED_PROXIES)',
    )
    .action(async ({ rules, proxy, port, host, trustedProxies }: Options) => {
      const child = spawn(process.execPath, [services.authorizer.mainFile], {
        env: {
          ...terminal.environment,
          ...(rules !== undefined && { RULES_FILE: rules }),
          ...(proxy !== undefined && { PROXY: proxy }),
          ...(port !== undefined && { PORT: port }),
          ...(host !== undefined && { HOST: host }),
          ...(trustedProxies !== undefined && { TRUSTED_PROXIES: trustedProxies }),
        },
        // The channel ends the service when this command ends, also when it is killed.
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
        // A process group of its own: Ctrl-C reaches only this command, which then stops the service.
        detached: true,
      })
      child.stdout?.setEncoding('utf8').on('data', terminal.out)
      child.stderr?.setEncoding('utf8').on('data', terminal.err)
      const stop = () => child.kill('SIGTERM')
      terminal.stop.addEventListener('abort', stop)
      terminal.onReload?.(() => child.kill('SIGHUP'))
      const [code] = (await once(child, 'close')) as [number | null]
      terminal.stop.removeEventListener('abort', stop)
      if (code !== 0) throw new SilentExit(code === 2 ? 'bad_usage' : 'failed')
    })
