// Generated from the rows of the refusals: npm run generate.

/** Remedies for the errors that the identity provider of this project has in common with Microsoft Entra ID. */
export const aadstsRemedies: Readonly<Record<number, string>> = {
  70011: 'The scope must be the identifier URI of the API followed by /.default.',
  70023: 'Request a federated token that is valid for at most 25 hours.',
  70025: 'Register a federated identity credential for this client.',
  82001:
    'A blueprint has tokens for Microsoft Graph only. Request the token of one of its agents with agentIdentity().',
  82008: 'Request the token of an agent with agentIdentity(), because this client is a blueprint.',
  90002:
    'Check the tenant ID and the URL of the identity provider. The tenant does not exist there.',
  500011:
    'Check the scope. The API is not registered in this tenant, or has no service principal there.',
  501051:
    'Grant this client a role of the API: add it to the application permissions that the client requests, then grant admin consent.',
  501661: 'Make the issuer of the federated token reachable for the identity provider.',
  700016: 'Check the client ID and the tenant. The client is not registered in this tenant.',
  700024:
    'Set the clock of this machine, or read a new token of the issuer. The assertion was outside its time range.',
  700027: 'Register the certificate for this client, or use the registered one.',
  700211: 'Register a federated identity credential with exactly this issuer.',
  700212: 'Request the federated token for the audience of the federated identity credential.',
  700213: 'Register a federated identity credential with exactly this subject.',
  700229: 'Use the token of a managed identity, or of an application itself, as the assertion.',
  700231: 'Use a credential of its own for this client. A federated one cannot follow another one.',
  900023: 'The tenant must be a GUID or a domain name.',
  901002: 'Set `resourceParameter` of mcpAuth() to never.',
  1000502: 'Replace the certificate. It has expired, or is not valid yet.',
  1002012: 'The scope must be the identifier URI of the API followed by /.default.',
  7000112: 'The client is disabled. Ask an administrator to enable its service principal.',
  7000215:
    "Use the secret's value, not its id, and check that it is a secret of this client. A new secret may take some seconds to work everywhere.",
  7000216: 'Use a client secret, a certificate or a federated assertion.',
  7000222: 'The client secret has expired. Create a new one for this client, and use it.',
  7000229: 'Ask an administrator to create the service principal of this client in the tenant.',
  7000272: 'Publish the signing key of the federated token in the key set of its issuer.',
  7002138: 'Write the subject of the federated identity credential in the case of this text.',
  9010010:
    "Set `resourceParameter` of mcpAuth() to never, or make the server's URL an identifier URI of the API.",
}
