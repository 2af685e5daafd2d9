/* The program's entry: one executable for every command, and for the executors that the host spawns. */
#include "cli/cli.h"

int main(int argc, char **argv) { return cli_main(argc, argv); }
