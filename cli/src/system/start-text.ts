import { isAbsolute, relative } from 'node:path'
import { shellQuote } from '../shell-quote.ts'
import type { SystemFacts } from './running-system.ts'

/** A path as a person in this folder would write it, with a slash so that a shell can source it. */
function shown(path: string, workingFolder: string): string {
  const near = relative(workingFolder, path)
  return near.startsWith('..') || isAbsolute(near) ? path : `./${near}`
}

export type StartLines = { readonly token: string; readonly hi: string; readonly hello: string }

/** Three lines that work verbatim in a shell in this folder; none of them shows the secret. */
export function startLines(
  { dataFolder, apiUrl }: SystemFacts,
  workingFolder: string,
  isDefaultFolder: boolean,
): StartLines {
  const envFile = shellQuote(shown(dataFolder.clientEnvFile, workingFolder))
  const tokenCommand = `npx greeting token${isDefaultFolder ? '' : ` --settings ${envFile}`}`
  // Standard input, and not an argument: every user of the machine can list arguments. The shell
  // itself carries out printf.
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

/** The one calm block that says what runs where. */
export function startText(facts: SystemFacts, lines: StartLines, workingFolder: string): string {
  const { dataFolder, identityProviderUrl, identityProviderHttpsUrl, apiUrl, client } = facts
  const overHttps = identityProviderHttpsUrl
    ? `\n  over HTTPS         ${identityProviderHttpsUrl}  see npx greeting trust`
    : ''
  return `
Greeting is running. Ctrl-C stops it.

  identity provider  ${identityProviderUrl}  tenant ${client.TENANT_ID}${overHttps}
  greeting API       ${apiUrl}  application ${client.API_APPLICATION_ID}
  client             ${client.displayName}  application ${client.CLIENT_ID}
  its secret         in ${shown(dataFolder.clientEnvFile, workingFolder)}, readable by you only
  logs               in ${shown(dataFolder.logFolder, workingFolder)}

To try it, copy these lines into a shell in this folder: a token, hi, hello.

${lines.token}
${lines.hi}
${lines.hello}

`
}
