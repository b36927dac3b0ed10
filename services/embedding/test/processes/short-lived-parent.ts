// Starts the child script that it is given, prints its process id and waits to be killed.
import { fork } from 'node:child_process';

const child = fork(process.argv[2]!, [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], serialization: 'advanced' });
child.on('spawn', () => process.stdout.write(`${child.pid}\n`));
