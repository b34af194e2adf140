import { isAbsolute, relative } from 'node:path'
import { shellQuote } from '../text/shell-quote.ts'
import type { SystemFacts } from './running-system.ts'

/** A path relative to the working folder, with a slash so that a shell can source it. */
function relativePath(path: string, workingFolder: string): string {
  const near = relative(workingFolder, path)
  return near.startsWith('..') || isAbsolute(near) ? path : `./${near}`
}

type StartLines = { readonly token: string; readonly hi: string; readonly hello: string }

/** Three lines that run verbatim in a shell in this folder. None of them shows the secret. */
export function startLines(
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

/** The text after a start: the addresses, the client and the files. */
export function startText(
  facts: SystemFacts,
  lines: StartLines,
  command: string,
  workingFolder: string,
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
Greeting is running. Ctrl-C stops it.

  identity provider  ${identityProviderUrl}  tenant ${client.TENANT_ID}${overHttps(identityProviderHttpsUrl)}
  greeting API       ${apiUrl}  application ${client.API_APPLICATION_ID}${overHttps(facts.apiHttpsUrl)}
${managedIdentity}${lab}  client             ${client.displayName}  application ${client.CLIENT_ID}
  its secret         in ${relativePath(dataFolder.clientEnvFile, workingFolder)}, readable by you only
  logs               in ${relativePath(dataFolder.logFolder, workingFolder)}

To try it, copy these lines into a shell in this folder: a token, hi, hello.

${lines.token}
${lines.hi}
${lines.hello}

`
}
