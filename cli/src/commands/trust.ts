import { access } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { CommandContext } from '../command-context.ts'
import { CommandFailure } from '../exit-codes.ts'
import { shellQuote } from '../text/visible-text.ts'

type Options = { readonly dataDir: string; readonly json?: true }

/** The commands that make a system trust an authority: for one program, one shell or all users. */
const ways: readonly { readonly where: string; readonly lines: (file: string) => string[] }[] = [
  { where: 'Node programs of one shell', lines: (file) => [`export NODE_EXTRA_CA_CERTS=${file}`] },
  { where: 'curl, once', lines: (file) => [`curl --cacert ${file} ...`] },
  {
    where: 'Python (requests, MSAL), Go and Ruby programs of one shell; libcurl ignores it',
    lines: (file) => [`export REQUESTS_CA_BUNDLE=${file} SSL_CERT_FILE=${file}`],
  },
  {
    where: 'Java (Spring)',
    lines: (file) => [
      `keytool -importcert -noprompt -cacerts -storepass changeit -alias greeting -file ${file}`,
    ],
  },
  {
    where: 'Debian, Ubuntu, all users',
    lines: (file) => [
      `sudo cp ${file} /usr/local/share/ca-certificates/greeting.crt`,
      'sudo update-ca-certificates',
    ],
  },
  {
    where: 'Fedora, RHEL, all users',
    lines: (file) => [`sudo trust anchor ${file}`],
  },
  {
    where: 'macOS, your user',
    lines: (file) => [`security add-trusted-cert -k ~/Library/Keychains/login.keychain-db ${file}`],
  },
  { where: 'Windows, your user', lines: (file) => [`certutil -user -addstore Root ${file}`] },
]

/** `greeting trust`: shows how to trust the local certificate authority. It changes nothing. */
export function addTrustCommand({ program, terminal }: CommandContext): void {
  program
    .command('trust')
    .description('show how to trust the certificate authority of the local identity provider')
    .option('--data-dir <path>', 'data folder of the local system', '.greeting')
    .option('--json', 'print JSON, also for failures')
    .action(async ({ dataDir, json }: Options) => {
      const file = join(resolve(dataDir), 'tls', 'authority.pem')
      await access(file).catch((cause) => {
        throw new CommandFailure('failed', `There is no certificate authority at ${file}`, {
          cause,
          remedy: 'The first "npx --no-install greeting start" creates it.',
        })
      })
      const previous = join(resolve(dataDir), 'tls', 'authority.previous.pem')
      const replaced = await access(previous).then(
        () => previous,
        () => undefined,
      )
      const instructions = ways.map(({ where, lines }) => ({
        where,
        lines: lines(shellQuote(file)),
      }))
      terminal.out(
        json
          ? `${JSON.stringify({ file, replaced, ways: instructions })}\n`
          : textOf(file, replaced, instructions),
      )
    })
}

function textOf(
  file: string,
  replaced: string | undefined,
  instructions: readonly { where: string; lines: string[] }[],
): string {
  const removal =
    replaced === undefined
      ? ''
      : `It replaced ${replaced}. Trust the new one, and remove the old one wherever you trusted it.\n`
  const blocks = instructions.map(
    ({ where, lines }) => `${where}\n${lines.map((one) => `  ${one}\n`).join('')}`,
  )
  return `The certificate of the local authority is ${file}.
It is valid for the names of this server only, for two years. Keep its private key secret.
A start creates a new authority near the end, or after new names in HTTPS_NAMES. Trust it again then.
${removal}
${blocks.join('\n')}`
}
