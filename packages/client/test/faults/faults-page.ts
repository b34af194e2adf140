import { faultRows } from './fault-rows.ts'
import { jobUnderFault } from './job-under-fault.ts'

/** The page about faults, generated from the measured behaviour. */
export async function faultsPage(): Promise<string> {
  const lines: string[] = []
  for (const row of faultRows) {
    const { fault, saw, tokenRequests, apiRequests, recovered } = await jobUnderFault(row)
    lines.push(`| ${fault} | ${saw} | ${tokenRequests} | ${apiRequests} | ${recovered} |`)
  }
  return `# Faults and the client

A job calls \`hi\` every minute for half an hour. The fault lasts from the tenth to the twentieth minute.
Tokens are valid for ten minutes, so they expire during the fault. The deadlines are the default ones: 10
seconds for \`token()\` and 30 for a call. The client has two secrets, of which the first is correct.

The test controls time and randomness, so every run gives the same numbers.
\`packages/client/test/faults.test.ts\` compares this page with the behaviour, and
\`node packages/client/test/faults/write-page.ts\` writes it.

| fault, for ten minutes | results of 30 runs | token requests | API requests | recovered |
|---|---|---|---|---|
${lines.join('\n')}

Conclusions:

- While a token is valid, an outage of the identity provider has no effect. The job fails only
  after the token has expired, and works again with the first run after the fault.
- \`Retry-After\` also applies between runs. A server that limits the rate gets a third of the requests of one that answers 503 without it.
- After a refusal, the client sends one request per run and secret.
- A 401 costs one token request and one more call. A 403 costs neither.

The [guide to the client](../guides/client.md#errors) describes the errors.
`
}
