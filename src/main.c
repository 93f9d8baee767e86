/* main.c - argv to a command, nothing else. */
#include <stdio.h>

int main(void)
{
	fputs("usage: signalbox COMMAND\n", stderr);
	return 2;
}
