import { posix, resolve, win32 } from 'node:path'
import { InvalidArgumentError } from 'commander'
import type { CommandContext } from '../command-context.ts'
import { DataFolder, defaultDataDir } from '../system/data-folder.ts'
import { RunningSystem, type SystemFacts } from '../system/running-system.ts'
import type { Terminal } from '../terminal.ts'
import { shellQuote, wrapped } from '../text/visible-text.ts'

/** Where and how a start prints its texts. */
type Surroundings = {
  /** How a shell starts this command. */
  readonly command: string
  readonly workingFolder: string
  readonly isDefaultFolder: boolean
  readonly platform: string
  /** The width of the terminal; undefined when there is none. */
  readonly columns: number | undefined
}

/** A path relative to the working folder, with a slash so that a shell can source it. */
function relativePath(path: string, { workingFolder, platform }: Surroundings): string {
  const { isAbsolute, relative, sep } = platform === 'win32' ? win32 : posix
  const near = relative(workingFolder, path)
  return near.startsWith('..') || isAbsolute(near) ? path : `.${sep}${near}`
}

/** The option for another data folder than the one in which each command looks. */
function settingsOption({ dataFolder }: SystemFacts, around: Surroundings): string {
  if (around.isDefaultFolder) return ''
  const file = relativePath(dataFolder.clientEnvFile, around)
  return ` --settings ${shellQuote(file, around.platform)}`
}

type StartLines = { readonly token: string; readonly hi: string; readonly hello: string }

/** Three lines that run verbatim in a shell in this folder. None of them shows the secret. */
export function startLines(facts: SystemFacts, around: Surroundings): StartLines {
  const { command, platform } = around
  const settings = settingsOption(facts, around)
  // The shells of Windows do not read a file of settings.
  if (platform === 'win32')
    return {
      token: `${command} token${settings}`,
      hi: `${command} hi${settings}`,
      hello: `${command} hello --name Ada${settings}`,
    }
  const { dataFolder, apiUrl } = facts
  const envFile = shellQuote(relativePath(dataFolder.clientEnvFile, around), platform)
  // Use standard input: other users of the machine can list arguments, and `printf` is built into
  // the shell. A proxy of the environment does not reach this machine.
  const curl = "curl -sS --noproxy '*'"
  const withToken = `printf 'authorization: Bearer %s' "$(${command} token${settings})" | ${curl} -H @-`
  return {
    token:
      `( . ${envFile}; printf %s "$CLIENT_SECRET" | ${curl} "$AUTH_URL/$TENANT_ID/oauth2/v2.0/token"` +
      ' -d grant_type=client_credentials -d "client_id=$CLIENT_ID" --data-urlencode client_secret@-' +
      ' --data-urlencode "scope=api://$API_APPLICATION_ID/.default" )',
    hi: `${withToken} ${apiUrl}/api/v1/hi`,
    hello: `${withToken} "${apiUrl}/api/v1/hello?name=Ada"`,
  }
}

/** The text after a start: the addresses, the client, the files, and four lines to go on with. */
export function startText(facts: SystemFacts, around: Surroundings): string {
  const { dataFolder, identityProviderUrl, apiUrl, client, managedIdentity, labUrl } = facts
  const { command, isDefaultFolder, columns } = around
  const near = (path: string) => relativePath(path, around)
  const wordsOf = (text: string) => text.split(/(?<=\S) /)
  const row = (label: string, ...words: readonly string[]) =>
    `  ${label.padEnd(19)}${wrapped(words, 21, columns)}\n`
  // A command stays whole: two lines of it cannot be pasted.
  const overHttps = (url: string | undefined) =>
    url ? row('over HTTPS', url, ' see', `${command} trust`) : ''
  const files = wordsOf(managedIdentity?.files.map(near).join(' or ') ?? '')
  return `
Greeting is running.

${[
  row('identity provider', identityProviderUrl, ' tenant', client.TENANT_ID),
  overHttps(facts.identityProviderHttpsUrl),
  row('greeting API', apiUrl, ' application', client.API_APPLICATION_ID),
  overHttps(facts.apiHttpsUrl),
  managedIdentity ? row('managed identity', managedIdentity.url, ' variables', 'in', ...files) : '',
  labUrl
    ? row('lab', labUrl, ...wordsOf(' forged tokens and faults: never use it in production'))
    : '',
  facts.acceptsMcpClients
    ? row('MCP clients', ...wordsOf('MCP_CLIENTS=on accepts requests that Entra refuses'))
    : '',
  row('client', ...wordsOf(client.displayName), ' application', client.CLIENT_ID),
  row('its secret', 'in', `${near(dataFolder.clientEnvFile)},`, ...wordsOf('readable by you only')),
  row('logs', 'in', near(dataFolder.logFolder)),
].join('')}
  try    ${command} hi${settingsOption(facts, around)}
  look   ${isDefaultFolder ? `${command} portal` : `${identityProviderUrl}/portal`}
  read   ${apiUrl}/docs
  stop   Ctrl-C

`
}

type Options = {
  readonly dataDir: string
  readonly apiPort: number
  readonly apiHttpsPort?: number
  readonly identityPort: number
  readonly httpsPort?: number
  readonly issuerUrl?: string
  readonly managedIdentity?: number | true
  readonly lab?: true
  readonly maxLogMib: number
  readonly json?: true
}

function port(text: string): number {
  const number = Number(text)
  if (!/^\d{1,5}$/.test(text) || number > 65_535)
    throw new InvalidArgumentError('The port must be a number from 0 to 65535')
  return number
}

function originUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol) || text !== url.origin)
    throw new InvalidArgumentError('The URL must be an http or https origin without a path')
  return text
}

function folder(text: string): string {
  // A variable that is not set would make the current folder the data folder.
  if (text === '') throw new InvalidArgumentError('The path must not be empty')
  return text
}

function maxLogMib(text: string): number {
  const number = Number(text)
  if (!/^\d{1,4}$/.test(text) || number < 1)
    throw new InvalidArgumentError('The size must be a number from 1 to 9999')
  return number
}

/** `greeting start`: runs the whole system until it is stopped. */
export function addStartCommand({ program, terminal, services }: CommandContext): void {
  program
    .command('start')
    .description('run the identity provider and the greeting API until Ctrl-C')
    .option(
      '--data-dir <path>',
      'folder for keys, registrations, settings and logs',
      folder,
      defaultDataDir,
    )
    .option('--api-port <port>', 'port of the greeting API; 0 means any free port', port, 3000)
    .option(
      '--api-https-port <port>',
      'port of the greeting API over HTTPS (default: 3443, or any free port with --api-port 0)',
      port,
    )
    .option(
      '--identity-port <port>',
      'port of the identity provider; 0 means any free port',
      port,
      4000,
    )
    .option(
      '--https-port <port>',
      'port of the identity provider over HTTPS (default: 4443, or any free port with --identity-port 0)',
      port,
    )
    .option(
      '--issuer-url <url>',
      'issuer of v1.0 tokens without the tenant, such as https://localhost:4443 for verifiers that accept only HTTPS (default: the HTTP origin)',
      originUrl,
    )
    .option(
      '--managed-identity [port]',
      'serve managed identity endpoints on 127.0.0.1 for all programs of this machine (default port: any free one)',
      port,
    )
    .option(
      '--lab',
      'let tests break responses, make tokens and set the clock; never in production',
    )
    .option(
      '--max-log-mib <n>',
      'maximum size of a log file in MiB; each service keeps two files',
      maxLogMib,
      10,
    )
    .option('--json', 'print one line of JSON when ready, or for a failure')
    .action(async ({ json, ...options }: Options) => {
      const dataDir = resolve(options.dataDir)
      const workingFolder = process.cwd()
      // With any free port for HTTP, the port for HTTPS is not fixed either.
      const {
        httpsPort = options.identityPort === 0 ? 0 : 4443,
        apiHttpsPort = options.apiPort === 0 ? 0 : 3443,
      } = options
      const { managedIdentity } = options
      const managedIdentityPort = managedIdentity === true ? 0 : managedIdentity
      const chosen = { ...options, httpsPort, apiHttpsPort, managedIdentityPort, dataDir }
      const system = new RunningSystem(services, chosen, terminal.environment)
      if (await new DataFolder(dataDir).isChangeableByOthers())
        terminal.err(
          `Other users can write to the data folder, which contains secrets. Run: chmod go-w ${shellQuote(dataDir)}\n`,
        )
      const facts = await system.start(terminal.stop, (awaited) => {
        if (!json) terminal.err(`Still waiting for ${awaited}.\n`)
      })
      const { command } = services
      const isDefaultFolder = dataDir === resolve(defaultDataDir)
      const { platform } = process
      const around = {
        command,
        workingFolder,
        isDefaultFolder,
        platform,
        columns: terminal.columns,
      }
      if (json) {
        const { identityProviderUrl, identityProviderHttpsUrl, apiUrl, apiHttpsUrl } = facts
        const { client, dataFolder } = facts
        terminal.out(
          `${JSON.stringify({
            identityProvider: {
              url: identityProviderUrl,
              httpsUrl: identityProviderHttpsUrl,
              tenantId: client.TENANT_ID,
            },
            api: { url: apiUrl, httpsUrl: apiHttpsUrl, applicationId: client.API_APPLICATION_ID },
            client: { applicationId: client.CLIENT_ID },
            managedIdentity: facts.managedIdentity,
            clientEnvFile: dataFolder.clientEnvFile,
            logFolder: dataFolder.logFolder,
            lines: startLines(facts, around),
          })}\n`,
        )
      } else terminal.out(startText(facts, around))
      await untilStopped(system, terminal)
    })
}

async function untilStopped(system: RunningSystem, { stop, err }: Terminal): Promise<void> {
  const asked = new Promise<undefined>((resolve) => {
    if (stop.aborted) resolve(undefined)
    stop.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  const ended = await Promise.race([system.firstToEnd(), asked])
  await system.stop()
  if (ended !== undefined) {
    err(`The ${ended.service.title} stopped unexpectedly. The other services were stopped.\n`)
    throw ended.failure()
  }
  err('Stopped.\n')
}
