// Sends the recorded statements of another client over one libpq connection, and discards every answer.
//
//   replay CONNINFO FILE
//
// FILE is a list of records. `Q` is a statement with its values, `Y` is a sync in the pipeline, and `W` waits for the pending
// answers. Numbers have 32 bits in the byte order of the machine; a text is its length, its bytes and a NUL.
#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 256 };

static const char *position;

static int number(void)
{
    int value;
    memcpy(&value, position, sizeof value);
    position += sizeof value;
    return value;
}

static const char *text(int *length)
{
    *length = number();
    if (*length < 0) return NULL;
    const char *found = position;
    position += *length + 1;
    return found;
}

static void drain(PGconn *connection, int *parts)
{
    while (*parts > 0) {
        PGresult *result = PQgetResult(connection);
        if (result == NULL) {
            if (PQstatus(connection) != CONNECTION_OK) exit(1);
            continue;
        }
        if (PQresultStatus(result) == PGRES_PIPELINE_SYNC) (*parts)--;
        PQclear(result);
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    FILE *file = fopen(argv[2], "rb");
    if (file == NULL) return 1;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *all = malloc(size);
    if (all == NULL || fread(all, 1, size, file) != (size_t) size) return 1;
    position = all;

    PGconn *connection = PQconnectdb(argv[1]);
    if (PQstatus(connection) != CONNECTION_OK || !PQenterPipelineMode(connection)) {
        fputs(PQerrorMessage(connection), stderr);
        return 1;
    }
    int parts = 0;
    while (position < all + size) {
        switch (*position++) {
        case 'Q': {
            const char *values[most];
            int lengths[most], formats[most], length;
            Oid types[most];
            const char *statement = text(&length);
            int count = number();
            if (count > most) return 1;
            for (int n = 0; n < count; n++) {
                types[n] = number();
                formats[n] = number();
                values[n] = text(&lengths[n]);
            }
            int format = number();
            if (!PQsendQueryParams(connection, statement, count, types, values, lengths, formats, format)) return 1;
            break;
        }
        case 'Y':
            if (!PQpipelineSync(connection)) return 1;
            parts++;
            break;
        case 'W':
            drain(connection, &parts);
            break;
        default:
            return 1;
        }
    }
    drain(connection, &parts);
    PQfinish(connection);
    return 0;
}
