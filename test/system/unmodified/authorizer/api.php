<?php
// An API without any check of tokens: it answers with what it received. PHP reads X.Caller.Roles as X-Caller-Roles.
$names = 'HTTP_X_CALLER_|HTTP_X_(HTTP_)?METHOD|HTTP_X_ORIGINAL_|HTTP_X_REWRITE_|HTTP_X_FORWARDED_PREFIX';
$fields = array_filter($_SERVER, fn ($value, $name) => $value !== '' && preg_match("/^($names)/", $name), ARRAY_FILTER_USE_BOTH);
ksort($fields);
$texts = array_map(fn ($name, $value) => strtolower(strtr(substr($name, 5), '_', '-')) . "=$value", array_keys($fields), $fields);
echo implode(' ', ['API', $_SERVER['REQUEST_METHOD'], $_SERVER['REQUEST_URI'], file_get_contents('php://input'), ...$texts]);
