package dev.outbox.sample.notification;

import java.util.Optional;
import java.util.stream.Stream;
import org.eclipse.angus.mail.smtp.SMTPAddressFailedException;
import org.eclipse.angus.mail.smtp.SMTPSendFailedException;
import org.jspecify.annotations.Nullable;
import org.springframework.mail.MailSendException;

/** Permanent answer (5xx) of an SMTP server to a recipient or to the content of a mail. */
final class SmtpRefusal {

    private SmtpRefusal() {}

    /** Returns the answer, or empty if a retry may succeed. A refused sender is such a case, because an operator can correct it. */
    static Optional<String> in(MailSendException failure) {
        return Stream.of(failure.getMessageExceptions())
                .flatMap((cause) -> Stream.<Throwable>iterate(cause, SmtpRefusal::exists, Throwable::getCause))
                .filter(SmtpRefusal::isPermanent)
                .findFirst()
                .map((cause) -> String.valueOf(cause.getMessage()).strip());
    }

    private static boolean exists(@Nullable Throwable cause) {
        return cause != null;
    }

    private static boolean isPermanent(Throwable cause) {
        if (cause instanceof SMTPAddressFailedException recipient) {
            return isPermanent(recipient.getReturnCode());
        }
        return cause instanceof SMTPSendFailedException send
                && isPermanent(send.getReturnCode())
                && !send.getCommand().startsWith("MAIL");
    }

    private static boolean isPermanent(int code) {
        return code / 100 == 5;
    }
}
