package dev.outbox.sample.notification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.icegreen.greenmail.util.GreenMail;
import com.icegreen.greenmail.util.ServerSetup;
import dev.outbox.NonRetryableException;
import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import java.net.SocketTimeoutException;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mail.MailAuthenticationException;
import org.springframework.mail.MailSendException;
import org.springframework.mail.javamail.JavaMailSenderImpl;

/** Mails to a server that accepts them, and to one that refuses, delays and is down. */
class MailMessengerTest {

    private final UUID key = UUID.randomUUID();

    @Test
    void sendsTheMessageToTheAddressOfTheRecipient() throws Exception {
        GreenMail server = greenMail();
        try {
            MailMessenger messenger = messenger(server.getSmtp().getPort());
            messenger.send("guild-1", "pro activated – now", key);
            messenger.send("guild-1", "pro activated – now", key);

            assertThat(server.getReceivedMessages()).hasSize(2).allSatisfy((mail) -> {
                assertThat(mail.getAllRecipients()).containsExactly(new InternetAddress("guild-1@guilds.example.com"));
                assertThat(mail.getFrom()).containsExactly(new InternetAddress("outbox@example.com"));
                assertThat(mail.getSubject()).isEqualTo("Notification");
                assertThat(mail.getContent().toString().strip()).isEqualTo("pro activated – now");
                assertThat(mail.getMessageID()).isEqualTo("<" + key + "@example.com>");
                assertThat(mail.getHeader("Auto-Submitted")).containsExactly("auto-generated");
            });
        } finally {
            server.stop();
        }
    }

    @Test
    void sendsToTheAddressOfTheUser() throws Exception {
        GreenMail server = greenMail();
        try {
            messenger(server.getSmtp().getPort()).send("ann", "pro activated", key);

            assertThat(server.getReceivedMessages())
                    .singleElement()
                    .satisfies((mail) -> assertThat(mail.getAllRecipients())
                            .containsExactly(new InternetAddress("ann@example.net")));
        } finally {
            server.stop();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "RCPT, 550 5.1.1 no such mailbox",
        "RCPT, 552 5.2.2 mailbox full",
        "DATA, 554 5.7.1 no thanks",
        "., 554 5.6.0 content refused"
    })
    void doesNotRetryAPermanentRefusal(String command, String answer) {
        try (ScriptedSmtpServer server = new ScriptedSmtpServer(Map.of(command, answer))) {
            assertThatExceptionOfType(NonRetryableException.class)
                    .isThrownBy(() -> send(server.port()))
                    .withMessageStartingWith("the mail server refused message " + key + ": " + answer);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "RCPT, 450 4.2.1 try again later",
        "RCPT, 421 4.3.2 shutting down",
        "., 451 4.3.0 local error",
        "MAIL, 530 5.7.0 authentication required",
        "MAIL, 550 5.7.1 sender refused"
    })
    void retriesATemporaryRefusalAndARefusedSender(String command, String answer) {
        try (ScriptedSmtpServer server = new ScriptedSmtpServer(Map.of(command, answer))) {
            assertThatExceptionOfType(MailSendException.class).isThrownBy(() -> send(server.port()));
        }
    }

    @Test
    void retriesAfterATimeout() {
        try (ScriptedSmtpServer server = new ScriptedSmtpServer(Map.of("RCPT", ""))) {
            JavaMailSenderImpl sender = sender(server.port());
            sender.getJavaMailProperties().setProperty("mail.smtp.timeout", "300");

            assertThatExceptionOfType(MailSendException.class)
                    .isThrownBy(() -> messenger(sender).send("guild-1", "pro activated", key))
                    .satisfies((ex) -> assertThat(ex.getMessageExceptions()[0])
                            .hasRootCauseInstanceOf(SocketTimeoutException.class));
        }
    }

    @Test
    void retriesARefusedConnection() {
        ScriptedSmtpServer stopped = new ScriptedSmtpServer(Map.of());
        stopped.close();

        assertThatExceptionOfType(MailSendException.class).isThrownBy(() -> send(stopped.port()));
    }

    @Test
    void retriesAfterARefusedPasswordWithoutNamingIt() {
        GreenMail server = greenMail();
        server.setUser("outbox", "right");
        try {
            JavaMailSenderImpl sender = sender(server.getSmtp().getPort());
            sender.setUsername("outbox");
            sender.setPassword("hunter2");
            sender.getJavaMailProperties().setProperty("mail.smtp.auth", "true");

            assertThatExceptionOfType(MailAuthenticationException.class)
                    .isThrownBy(() -> messenger(sender).send("guild-1", "pro activated", key))
                    .satisfies((ex) -> assertThat(ex).hasMessageNotContaining("hunter2"));
        } finally {
            server.stop();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "two words", "a@b", "a,b@c.com", "guild-1\r\nBcc: all"})
    void doesNotRetryARecipientWithoutAddress(String recipient) {
        assertThatExceptionOfType(NonRetryableException.class)
                .isThrownBy(() -> messenger(1).send(recipient, "pro activated", key))
                .withMessageEndingWith("has no valid mail address");
    }

    private void send(int port) {
        messenger(port).send("guild-1", "pro activated", key);
    }

    private static MailMessenger messenger(int port) {
        return messenger(sender(port));
    }

    private static MailMessenger messenger(JavaMailSenderImpl sender) {
        try {
            return new MailMessenger(
                    sender,
                    new InternetAddress("outbox@example.com"),
                    (userId) ->
                            Optional.ofNullable(Map.of("ann", "ann@example.net").get(userId)),
                    "{recipient}@guilds.example.com",
                    "Notification");
        } catch (AddressException ex) {
            throw new IllegalArgumentException(ex);
        }
    }

    private static JavaMailSenderImpl sender(int port) {
        Properties timeouts = new Properties();
        timeouts.setProperty("mail.smtp.connectiontimeout", "2000");
        timeouts.setProperty("mail.smtp.timeout", "10000");
        JavaMailSenderImpl sender = new JavaMailSenderImpl();
        sender.setHost("127.0.0.1");
        sender.setPort(port);
        sender.setJavaMailProperties(timeouts);
        return sender;
    }

    private static GreenMail greenMail() {
        GreenMail server = new GreenMail(new ServerSetup(0, "127.0.0.1", ServerSetup.PROTOCOL_SMTP));
        server.start();
        return server;
    }
}
