import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { judgeClaimsMatchingExpression } from '../../../src/model/application/claims-matching-expression.ts'

const github = 'https://token.actions.githubusercontent.com'
const sub = "claims['sub'] matches 'repo:contoso/orders:*'"
const project = "claims['sub'] matches 'project_path:contoso/orders:*'"

/** Entra E173 to E175, and E182. */
describe('the rules of claims matching expressions', () => {
  it('refuse an expression with the message of Entra ID (entra E182)', () =>
    assert.equal(
      judgeClaimsMatchingExpression(project, 'https://gitlab.com'),
      `The FederatedIdentityCredential.ClaimsMatchingExpression.Value is invalid. Rule exception: Expression configured for issuer 'https://gitlab.com' either lacks all required claims or contains unallowed claims. paramName: FederatedIdentityCredential.ClaimsMatchingExpression.Value, paramValue: ${project}, objectType: Microsoft.Online.DirectoryServices.Application`,
    ))

  for (const [issuer, text] of [
    [github, `${sub} and claims['repository_id'] eq '1'`],
    [github, `${sub} and claims['repository_owner_id'] eq '1'`],
    [
      github,
      `${sub} and claims['repository_id'] eq '1' and claims['job_workflow_ref'] matches 'contoso/*'`,
    ],
    ['https://gitlab.com', `${project} and claims['project_id'] eq '1'`],
    ['https://gitlab.contoso.com', `${project} and claims['project_id'] eq '1'`],
    ['https://gitlab.com', "claims['sub'] matches 'project_id:1:*'"],
    ['https://gitlab.com', "claims['sub'] matches 'project_id:1:ref_type:branch:ref:?*'"],
    ['https://gitlab.com', "claims['sub'] eq 'project_id:1'"],
    ['https://gitlab.com', "claims['sub'] matches 'project_id:1'"],
    ['https://app.terraform.io', "claims['sub'] matches 'organization:contoso'"],
    ['https://gitlab.com', "claims['sub'] matches '*' and claims['project_id'] eq '1'"],
    [github, "claims['sub'] matches 'repo:*:event_name:push' and claims['repository_id'] eq '1'"],
    ['https://app.terraform.io', "claims['sub'] matches 'organization:contoso:*'"],
    ['https://app.eu.terraform.io', "claims['sub'] eq 'organization:contoso'"],
  ] as const)
    it(`permit ${text} for ${issuer}`, () =>
      assert.equal(judgeClaimsMatchingExpression(text, issuer), undefined))

  for (const [issuer, text, fault] of [
    [github, sub, /lacks all required claims/],
    [github, "claims['repository_id'] eq '1'", /lacks all required claims/],
    [github, `${sub} and claims['repository_id'] matches '1*'`, /unallowed claims/],
    [github, `${sub} and claims['repository_id'] eq '1' and claims['actor'] eq 'a'`, /unallowed/],
    [github, `${sub} and claims['constructor'] eq '1'`, /unallowed/],
    [github, `${sub} or claims['repository_id'] eq '1'`, /expression is invalid/],
    ['https://gitlab.com', project, /lacks all required claims/],
    ...[
      "claims['sub'] matches 'project_id:*'",
      "claims['sub'] matches 'project_id:?:*'",
      "claims['sub'] matches 'project_id:1*'",
      "claims['sub'] matches 'project_id:1?:ref'",
      "claims['sub'] matches 'project_id::*'",
      "claims['sub'] matches 'project_?d:1:*'",
      "claims['sub'] matches '*project_id:1:*'",
      "claims['sub'] matches '*:1:*'",
      "claims['sub'] matches 'Project_ID:1:*'",
      "claims['sub'] eq 'project_id:*'",
      "claims['sub'] eq 'project_path:contoso/orders'",
    ].map((text) => ['https://gitlab.com', text, /lacks all required claims/] as const),
    ['https://gitlab.contoso.com', "claims['sub'] matches 'project_id:*'", /lacks all required/],
    ['https://gitlab.com', "claims['project_id'] eq '1'", /lacks all required claims/],
    [
      'https://gitlab.com',
      "claims['sub'] matches '*' and claims['project_id'] matches '1'",
      /unallowed claims/,
    ],
    [
      'https://gitlab.com',
      "claims['sub'] matches '*' and claims['Project_Id'] eq '1'",
      /unallowed claims/,
    ],
    ['https://gitlab.com', "claims['sub'] MATCHES 'project_id:1:*'", /expression is invalid/],
    [
      'https://gitlab.com',
      "claims['sub'] matches 'project_id:1:*' or claims['sub'] matches '*'",
      /expression is invalid/,
    ],
    [
      'https://gitlab.com',
      "claims['sub'] matches 'project_id:1:*' and claims['sub'] matches '*'",
      /expression is invalid/,
    ],
    ...[
      "claims['sub'] matches '*'",
      "claims['sub'] matches 'organization:*'",
      "claims['sub'] matches 'organization:?:*'",
      "claims['sub'] matches 'organization:contoso*'",
      "claims['sub'] matches 'organization:contos?:*'",
      "claims['sub'] matches 'organization::*'",
      "claims['sub'] matches 'organizatio?:contoso:*'",
      "claims['sub'] matches '*organization:contoso:*'",
      "claims['sub'] matches 'ORGANIZATION:contoso:*'",
      "claims['sub'] eq 'organization:*'",
      "claims['sub'] eq 'workspace:orders'",
    ].map((text) => ['https://app.terraform.io', text, /lacks all required claims/] as const),
    ['https://gitlab.*.com', `${project} and claims['project_id'] eq '1'`, /not support/],
    ['https://gitlab.?.com', `${project} and claims['project_id'] eq '1'`, /not support/],
    ['https://gitlab.com', `${sub} and claims['repository_id'] eq '1'`, /unallowed/],
    [`${github}/contoso`, `${sub} and claims['repository_id'] eq '1'`, /does not support/],
    ['https://gitlab.com/contoso', `${project} and claims['project_id'] eq '1'`, /not support/],
    ['https://gitlab.com.example', `${project} and claims['project_id'] eq '1'`, /not support/],
    ['https://oidc.example.com', "claims['sub'] matches '*'", /does not support/],
    ['gitlab', "claims['sub'] matches '*'", /does not support/],
  ] as const)
    it(`refuse ${text} for ${issuer}`, () =>
      assert.match(judgeClaimsMatchingExpression(text, issuer) ?? '', fault))
})
