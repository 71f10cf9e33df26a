package dev.outbox.sample.notification;

import dev.outbox.NonRetryableException;
import jakarta.mail.MessagingException;
import jakarta.mail.internet.AddressException;
import jakarta.mail.internet.InternetAddress;
import jakarta.mail.internet.MimeMessage;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.springframework.mail.MailSendException;
import org.springframework.mail.javamail.JavaMailSender;
import org.springframework.mail.javamail.MimeMessageHelper;

/** Messenger that sends each message by SMTP. The Message-ID is the same for each attempt, so that mail systems can drop duplicates. */
final class MailMessenger implements Messenger {

    private static final String PLACEHOLDER = "{recipient}";

    private final JavaMailSender sender;
    private final InternetAddress from;
    private final Function<String, Optional<String>> directory;
    private final String address;
    private final String subject;

    MailMessenger(
            JavaMailSender sender,
            InternetAddress from,
            Function<String, Optional<String>> directory,
            String address,
            String subject) {
        this.sender = sender;
        this.from = from;
        this.directory = directory;
        this.address = address;
        this.subject = subject;
    }

    @Override
    public void send(String recipient, String message, UUID idempotencyKey) {
        MimeMessage mail = mail(addressOf(recipient), message, idempotencyKey);
        try {
            sender.send(mail);
        } catch (MailSendException ex) {
            throw SmtpRefusal.in(ex)
                    .<RuntimeException>map((answer) -> new NonRetryableException(
                            "the mail server refused message " + idempotencyKey + ": " + answer, ex))
                    .orElse(ex);
        }
    }

    private InternetAddress addressOf(String recipient) {
        try {
            return new InternetAddress(
                    directory.apply(recipient).orElseGet(() -> address.replace(PLACEHOLDER, recipient)), true);
        } catch (AddressException ex) {
            throw new NonRetryableException("recipient '" + recipient + "' has no valid mail address", ex);
        }
    }

    private MimeMessage mail(InternetAddress to, String message, UUID idempotencyKey) {
        MimeMessage mail = sender.createMimeMessage();
        try {
            MimeMessageHelper helper = new MimeMessageHelper(mail, StandardCharsets.UTF_8.name());
            helper.setFrom(from);
            helper.setTo(to);
            helper.setSubject(subject);
            helper.setText(message);
            mail.setHeader("Message-ID", "<" + idempotencyKey + domain() + ">");
            mail.setHeader("Auto-Submitted", "auto-generated");
        } catch (MessagingException ex) {
            throw new NonRetryableException("message " + idempotencyKey + " cannot be written as a mail", ex);
        }
        return mail;
    }

    /** Returns the at sign and the domain of the sender. */
    private String domain() {
        return from.getAddress().substring(from.getAddress().lastIndexOf('@'));
    }
}
