import { isAbsolute, relative, resolve } from 'node:path'
import { type Command, InvalidArgumentError } from 'commander'
import { DataFolder, defaultDataDir } from '../system/data-folder.ts'
import { RunningSystem, type SystemFacts } from '../system/running-system.ts'
import type { Services } from '../system/services.ts'
import type { Terminal } from '../terminal.ts'
import { shellQuote } from '../text/visible-text.ts'

/** A path relative to the working folder, with a slash so that a shell can source it. */
function relativePath(path: string, workingFolder: string): string {
  const near = relative(workingFolder, path)
  return near.startsWith('..') || isAbsolute(near) ? path : `./${near}`
}

type StartLines = { readonly token: string; readonly hi: string; readonly hello: string }

/** Three lines that run verbatim in a shell in this folder. None of them shows the secret. */
function startLines(
  { dataFolder, apiUrl }: SystemFacts,
  command: string,
  workingFolder: string,
  isDefaultFolder: boolean,
): StartLines {
  const envFile = shellQuote(relativePath(dataFolder.clientEnvFile, workingFolder))
  const tokenCommand = `${command} token${isDefaultFolder ? '' : ` --settings ${envFile}`}`
  // Use standard input: other users of the machine can list arguments, and `printf` is built into
  // the shell.
  const withToken = `printf 'authorization: Bearer %s' "$(${tokenCommand})" | curl -sS -H @-`
  return {
    token:
      `( . ${envFile}; printf %s "$CLIENT_SECRET" | curl -sS "$AUTH_URL/$TENANT_ID/oauth2/v2.0/token"` +
      ' -d grant_type=client_credentials -d "client_id=$CLIENT_ID" --data-urlencode client_secret@-' +
      ' --data-urlencode "scope=api://$API_APPLICATION_ID/.default" )',
    hi: `${withToken} ${apiUrl}/api/v1/hi`,
    hello: `${withToken} "${apiUrl}/api/v1/hello?name=Ada"`,
  }
}

// The shells of Windows know double quotes, and no path of Windows has one.
const quoted = (path: string) => (process.platform === 'win32' ? `"${path}"` : shellQuote(path))

/** The text after a start: the addresses, the client, the files, and four lines to go on with. */
function startText(
  facts: SystemFacts,
  command: string,
  workingFolder: string,
  isDefaultFolder: boolean,
): string {
  const { dataFolder, identityProviderUrl, identityProviderHttpsUrl, apiUrl, client } = facts
  const overHttps = (url: string | undefined) =>
    url ? `\n  over HTTPS         ${url}  see ${command} trust` : ''
  const managedIdentity = facts.managedIdentity
    ? `  managed identity   ${facts.managedIdentity.url}  variables in ${facts.managedIdentity.files
        .map((file) => relativePath(file, workingFolder))
        .join(' or ')}\n`
    : ''
  const lab = facts.labUrl
    ? `  lab                ${facts.labUrl}  forged tokens and faults: never use it in production\n`
    : ''
  return `
Greeting is running.

  identity provider  ${identityProviderUrl}  tenant ${client.TENANT_ID}${overHttps(identityProviderHttpsUrl)}
  greeting API       ${apiUrl}  application ${client.API_APPLICATION_ID}${overHttps(facts.apiHttpsUrl)}
${managedIdentity}${lab}  client             ${client.displayName}  application ${client.CLIENT_ID}
  its secret         in ${relativePath(dataFolder.clientEnvFile, workingFolder)}, readable by you only
  logs               in ${relativePath(dataFolder.logFolder, workingFolder)}

  try    ${command} hi${isDefaultFolder ? '' : ` --settings ${quoted(relativePath(dataFolder.clientEnvFile, workingFolder))}`}
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
  readonly workers?: string
  readonly lab?: true
  readonly maxLogMib: number
  readonly json?: true
}

function port(text: string): number {
  const number = Number(text)
  if (!/^\d{1,5}$/.test(text) || number > 65_535) {
    throw new InvalidArgumentError('The port must be a number from 0 to 65535')
  }
  return number
}

function originUrl(text: string): string {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol) || text !== url.origin) {
    throw new InvalidArgumentError('The URL must be an http or https origin without a path')
  }
  return text
}

function folder(text: string): string {
  // A variable that is not set would make the current folder the data folder.
  if (text === '') throw new InvalidArgumentError('The path must not be empty')
  return text
}

function workers(text: string): string {
  const number = Number(text)
  if (text !== 'auto' && !(/^\d{1,2}$/.test(text) && number >= 1 && number <= 64)) {
    throw new InvalidArgumentError('The count must be a number from 1 to 64, or auto')
  }
  return text
}

function maxLogMib(text: string): number {
  const number = Number(text)
  if (!/^\d{1,4}$/.test(text) || number < 1) {
    throw new InvalidArgumentError('The size must be a number from 1 to 9999')
  }
  return number
}

/** `greeting start`: runs the whole system until it is stopped. */
export function addStartCommand(program: Command, terminal: Terminal, services: Services): void {
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
      '--workers <count>',
      'worker processes of each service, 1 to 64, or auto for one per core (default: WORKERS, else 1)',
      workers,
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
      if (await new DataFolder(dataDir).isWritableByOthers())
        terminal.err(
          `Other users can write to the data folder, which contains secrets. Run: chmod go-w ${shellQuote(dataDir)}\n`,
        )
      const facts = await system.start(terminal.stop)
      const { command } = services
      const isDefaultFolder = dataDir === resolve(defaultDataDir)
      const lines = startLines(facts, command, workingFolder, isDefaultFolder)
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
            lines,
          })}\n`,
        )
      } else terminal.out(startText(facts, command, workingFolder, isDefaultFolder))
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
