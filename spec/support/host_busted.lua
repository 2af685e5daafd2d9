-- Busted's settings for the host specs: none, where the `.busted` of the root is for the unit specs in plain LuaJIT.
return {}
