# An API with an app role, a client that requests it, both service principals, and a secret.
terraform {
  required_providers {
    azuread = { source = "hashicorp/azuread" }
  }
}

# Host and credentials come from the environment.
provider "azuread" {
  use_microsoft_graph = true
  use_cli             = false
}

variable "secret_name" {
  default = "first"
}

resource "azuread_application" "api" {
  display_name     = "terraform orders"
  sign_in_audience = "AzureADMyOrg"

  app_role {
    allowed_member_types = ["Application"]
    description          = "Reads all orders."
    display_name         = "Read orders"
    enabled              = true
    value                = "Orders.Read"
  }
}

resource "azuread_service_principal" "api" {
  application_id = azuread_application.api.application_id
}

resource "azuread_application" "client" {
  display_name     = "terraform client"
  sign_in_audience = "AzureADMyOrg"

  required_resource_access {
    resource_app_id = azuread_application.api.application_id
    resource_access {
      id   = tolist(azuread_application.api.app_role)[0].id
      type = "Role"
    }
  }
}

resource "azuread_service_principal" "client" {
  application_id = azuread_application.client.application_id
}

resource "azuread_application_password" "client" {
  application_object_id = azuread_application.client.object_id
  display_name          = var.secret_name
}

output "api" { value = azuread_application.api.application_id }
output "api_principal" { value = azuread_service_principal.api.object_id }
output "role" { value = tolist(azuread_application.api.app_role)[0].id }
output "client" { value = azuread_application.client.application_id }
output "client_principal" { value = azuread_service_principal.client.object_id }
output "secret" {
  value     = azuread_application_password.client.value
  sensitive = true
}
