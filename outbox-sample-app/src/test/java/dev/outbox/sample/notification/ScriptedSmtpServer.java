package dev.outbox.sample.notification;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;

/** SMTP server that gives the answers of a script, and success where the script has none. An empty answer keeps the client waiting. */
final class ScriptedSmtpServer implements AutoCloseable {

    private final ServerSocket socket;
    private final Map<String, String> script;
    private final Thread thread;

    ScriptedSmtpServer(Map<String, String> script) {
        try {
            this.socket = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        }
        this.script = script;
        this.thread = new Thread(this::serve, "smtp");
        thread.start();
    }

    int port() {
        return socket.getLocalPort();
    }

    @Override
    public void close() {
        try {
            socket.close();
            thread.join();
        } catch (IOException ex) {
            throw new UncheckedIOException(ex);
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    private void serve() {
        while (!socket.isClosed()) {
            try (Socket client = socket.accept()) {
                talk(client);
            } catch (IOException ex) {
                // The client or the test has closed its end.
            }
        }
    }

    private void talk(Socket client) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8));
        answer(client, "220 test");
        boolean data = false;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String command = data ? line : line.split("[ :]", 2)[0].toUpperCase(Locale.ROOT);
            if (data && !line.equals(".")) {
                continue;
            }
            String answer = script.getOrDefault(command, command.equals("DATA") ? "354 go on" : "250 ok");
            data = answer.startsWith("354");
            answer(client, answer);
        }
    }

    private static void answer(Socket client, String line) throws IOException {
        OutputStream out = client.getOutputStream();
        if (!line.isEmpty()) {
            out.write((line + "\r\n").getBytes(StandardCharsets.UTF_8));
            out.flush();
        }
    }
}
