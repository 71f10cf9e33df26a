package dev.outbox.internal.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.outbox.fixture.Poison;
import dev.outbox.internal.audit.AuditInfo;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

class RedactionTest {

    private static final SQLException ROW = new SQLException(
            "ERROR: new row violates check constraint \"positive\"\n  Detail: Failing row contains (1, hidden).",
            "23514");

    record Amount(int value) {}

    record Amounts(Map<String, Amount> byCard) {}

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "jdbc:postgresql://db/app?user=u&password=hidden&ssl=true|jdbc:postgresql://db/app?user=u&password=***&ssl=true",
                "jdbc:postgresql://user:hidden@db:5432/app|jdbc:postgresql://***@db:5432/app",
                "Authorization: Bearer hidden1.hidden2|Authorization: ***",
                "{\"authorization\":\"Basic aGlkZGVu\",\"a\":1}|{\"authorization\":\"***\",\"a\":1}",
                "sent Bearer hidden12345 to it|sent Bearer *** to it",
                "GET https://mail/send?access_token=hidden&to=a|GET https://mail/send?access_token=***&to=a",
                "GET https://s3/x?X-Amz-Signature=hidden|GET https://s3/x?X-Amz-Signature=***",
                "{\"password\": \"hidden\"}|{\"password\": \"***\"}",
                "DB_PASSWORD=hidden|DB_PASSWORD=***",
                "client_secret=hidden;x|client_secret=***;x",
                "Set-Cookie: SID=hidden; Path=/|Set-Cookie: ***"
            })
    void takesSecretsOutOfMessages(String message, String expected) {
        assertThat(Redaction.message(new IllegalStateException(message))).isEqualTo(expected);
        assertThat(new Failure("code", message).message()).isEqualTo(expected);
        assertThat(new AuditInfo("operator", message).reason()).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mail server answered 503",
                "no token in the request",
                "basic authentication failed",
                "connect to http://mail:8025/inbox timed out",
                "unexpected token ';' at 4"
            })
    void leavesOtherExceptionsAsTheyAre(String message) {
        Exception ex = new IllegalStateException(message, new IOException(message));

        assertThat(Redaction.message(ex)).isEqualTo(message);
        assertThat(Redaction.loggable(ex)).isSameAs(ex);
    }

    @Test
    void leavesOutTheRowThatPostgresQuotes() {
        assertThat(Redaction.message(new IllegalStateException("cannot store: " + ROW.getMessage(), ROW)))
                .isEqualTo("cannot store: ERROR: new row violates check constraint \"positive\"");
        SQLException answer = Redaction.of(ROW);
        assertThat(answer.getMessage()).isEqualTo("ERROR: new row violates check constraint \"positive\"");
        assertThat(answer.getSQLState()).isEqualTo("23514");
        assertThat(answer.getStackTrace()).isEqualTo(ROW.getStackTrace());
    }

    @Test
    void neverLeavesAnErrorWithoutMessage() {
        assertThat(Redaction.message(new SQLException("\n \nrefused\nhidden"))).isEqualTo("refused");
        assertThat(Redaction.message(new SQLException("\n\n\n\n\n\n\n\n"))).isEqualTo("no message");
    }

    @Test
    void leavesOutTheValueThatPostgresQuotes() {
        SQLException ex = new SQLException("ERROR: invalid input syntax for type integer: \"hid\"den\"", "22P02");

        assertThat(Redaction.message(ex)).isEqualTo("ERROR: invalid input syntax for type integer: \"***\"");
    }

    @Test
    void leavesOutTheStatementOfABatch() {
        BatchUpdateException batch = new BatchUpdateException(
                "Batch entry 0 INSERT INTO t VALUES ('hidden') was aborted: " + ROW.getMessage(), "23514", new int[0]);
        batch.setNextException(ROW);

        assertThat(Redaction.message(batch))
                .isEqualTo("a batch was aborted: ERROR: new row violates check constraint \"positive\"");
        assertThat(printed(Redaction.loggable(batch))).doesNotContain("hidden");
    }

    @Test
    void leavesOutWhatJacksonQuotes() {
        JacksonException ex = assertThrows(
                JacksonException.class,
                () -> new JsonMapper().readValue("{\"byCard\":{\"hidden\":{\"value\":\"hidden\"}}}", Amounts.class));
        Exception wrapped = new IllegalStateException("cannot read: " + ex.getMessage(), ex);

        assertThat(Redaction.message(ex))
                .isEqualTo("JSON error at dev.outbox.internal.failure.RedactionTest$Amounts[\"byCard\"]->map[*]"
                        + "->dev.outbox.internal.failure.RedactionTest$Amount[\"value\"]");
        assertThat(printed(Redaction.loggable(wrapped)))
                .contains("IllegalStateException: cannot read: JSON error at", "Caused by: ", "RedactionTest.java")
                .doesNotContain("hidden");
    }

    @Test
    void endsWhereCausesGoInCircles() {
        Exception first = new IllegalStateException("password=hidden");
        Exception second = new IllegalStateException("second", first);
        first.initCause(second);
        first.addSuppressed(second);

        assertThat(printed(Redaction.loggable(first))).contains("password=***").doesNotContain("hidden");
    }

    @ParameterizedTest
    @EnumSource
    void survivesExceptionsWhoseMethodsThrow(Poison poison) {
        Throwable ex = catchThrowable(() -> Poison.throwFor(poison.name()));
        List<String> texts = new ArrayList<>();
        Throwable thrown = catchThrowable(() -> {
            texts.add(Redaction.message(ex));
            texts.add("" + Causes.anyMatch(ex, (cause) -> false));
            if (poison != Poison.MESSAGE_READ_ONCE) {
                texts.add(printed(Redaction.loggable(ex)));
            }
        });

        // Not the exception itself: the tools that report it call the methods that throw.
        assertThat(thrown == null).isTrue();
        assertThat(texts).hasSizeGreaterThan(1).noneMatch(String::isEmpty);
    }

    @Test
    void cutsMessagesToWholeCharacters() {
        assertThat(new Failure("code", "x".repeat(1999) + "\uD83D\uDE00").message())
                .isEqualTo("x".repeat(1999));
        assertThat(new Failure("code", "password=".repeat(1_000_000)).message()).hasSizeLessThanOrEqualTo(2000);
    }

    private static String printed(Throwable ex) {
        StringWriter text = new StringWriter();
        ex.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
