package dev.outbox.chaos.fleet;

import java.io.IOException;
import java.io.UncheckedIOException;

/** Signal to a process of this machine. */
public enum Signal {
    /** Suspends the process. */
    STOP,
    /** Resumes the process. */
    CONT;

    /** Sends the signal, and returns when the process has it. */
    public void sendTo(Process process) {
        try {
            int exit = new ProcessBuilder("sh", "-c", "kill -" + name() + " " + process.pid())
                    .inheritIO()
                    .start()
                    .waitFor();
            if (exit != 0) {
                throw new IllegalStateException("SIG" + name() + " could not be sent to process " + process.pid());
            }
        } catch (IOException e) {
            throw new UncheckedIOException("SIG" + name() + " could not be sent to process " + process.pid(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while a process gets a signal", e);
        }
    }
}
