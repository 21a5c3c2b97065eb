"""Enterprise SONiC: Broadcom's distribution with the management framework's CLI, as Dell and Supermicro ship it."""
