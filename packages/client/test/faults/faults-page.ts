import { faultRows } from './fault-rows.ts'
import { jobUnderFault } from './job-under-fault.ts'

/** The page about faults, made by trying them. */
export async function faultsPage(): Promise<string> {
  const lines: string[] = []
  for (const row of faultRows) {
    const { fault, saw, tokenRequests, apiRequests, recovered } = await jobUnderFault(row)
    lines.push(`| ${fault} | ${saw} | ${tokenRequests} | ${apiRequests} | ${recovered} |`)
  }
  return `# Faults the client met

A job that says hi every minute for half an hour. From the tenth minute to the twentieth something is
wrong. Tokens live for ten minutes, so that they end within the fault; \`token()\` has a deadline of 10
seconds and a call one of 30, as by default; two secrets are given, of which the first is right.
Time and chance are played, so every run of the test counts the same:
\`packages/client/test/faults.test.ts\` holds this page to what happens, and
\`node packages/client/test/faults/write-page.ts\` makes it anew.

| fault, for ten minutes | what the job saw in 30 runs | token requests | API requests | recovered |
|---|---|---|---|---|
${lines.join('\n')}

What to read from it:

- While a token is good, an identity provider that is down is nobody's trouble; the job fails only
  when the token has ended, and is well again with the first run after the fault.
- \`Retry-After\` is obeyed between runs too: a server that limits the rate is asked a third as often as one that only says 503.
- A refusal is asked about once per run (once per secret), never more often.
- A 401 costs one token request and one more call, and a 403 costs neither.

The errors are explained in [the guide to the client](../guides/client.md#errors).
`
}
