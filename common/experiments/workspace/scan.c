/* Finds where values of a JSON text begin and end. */
#include "experiments/workspace/scan.h"

#include <string.h>

static const char blanks[] = " \t\r\n";

static bool is_one_of(char byte, const char *set)
{
    return byte && strchr(set, byte);
}

static void skip_blanks(struct scan *scan)
{
    while (scan->at < scan->end && is_one_of(*scan->at, blanks))
        scan->at++;
}

static bool take(struct scan *scan, char byte)
{
    skip_blanks(scan);
    if (scan->at == scan->end || *scan->at != byte)
        return false;
    scan->at++;
    return true;
}

static void skip_string(struct scan *scan)
{
    for (scan->at++; scan->at < scan->end && *scan->at != '"'; scan->at++)
        if (*scan->at == '\\')
            scan->at++;
    if (scan->at >= scan->end)
        scan->broken = true;
    else
        scan->at++;
}

/* To the bracket that closes what stands here; strings may hold brackets. */
static void skip_brackets(struct scan *scan)
{
    size_t depth = 0;

    while (scan->at < scan->end && !scan->broken) {
        char byte = *scan->at;

        if (byte == '"') {
            skip_string(scan);
            continue;
        }
        scan->at++;
        if (byte == '{' || byte == '[')
            depth++;
        else if (byte == '}' || byte == ']')
            depth--;
        if (depth == 0)
            return;
    }
    scan->broken = true;
}

static bool take_value(struct scan *scan, struct scan_piece *value)
{
    skip_blanks(scan);
    value->at = scan->at;
    if (scan->at == scan->end)
        scan->broken = true;
    else if (*scan->at == '"')
        skip_string(scan);
    else if (*scan->at == '{' || *scan->at == '[')
        skip_brackets(scan);
    else
        while (scan->at < scan->end && !is_one_of(*scan->at, ",]} \t\r\n"))
            scan->at++;
    value->length = scan->broken ? 0 : (size_t)(scan->at - value->at);
    scan->broken = scan->broken || value->length == 0;
    return !scan->broken;
}

bool scan_open(struct scan *scan, char bracket)
{
    scan->broken = scan->broken || !take(scan, bracket);
    return !scan->broken;
}

/* Moves past the comma before the next one; false at the closing bracket. */
static bool comes_another(struct scan *scan, bool first, char closing)
{
    if (scan->broken || take(scan, closing))
        return false;
    scan->broken = !first && !take(scan, ',');
    return !scan->broken;
}

bool scan_member(struct scan *scan, bool first, struct scan_piece *key, struct scan_piece *value)
{
    if (!comes_another(scan, first, '}'))
        return false;
    skip_blanks(scan);
    key->at = scan->at;
    if (scan->at == scan->end || *scan->at != '"') {
        scan->broken = true;
        return false;
    }
    skip_string(scan);
    key->length = (size_t)(scan->at - key->at);
    scan->broken = scan->broken || !take(scan, ':');
    return !scan->broken && take_value(scan, value);
}

bool scan_item(struct scan *scan, bool first, struct scan_piece *value)
{
    return comes_another(scan, first, ']') && take_value(scan, value);
}

bool scan_is_over(struct scan *scan)
{
    skip_blanks(scan);
    return scan->at == scan->end && !scan->broken;
}
