// Folder: Authorization of an MCP client: what the server and its authorization server publish.

export { type McpAuth, type McpAuthOptions, type McpUnauthorized, mcpAuth } from './mcp-auth.ts'
