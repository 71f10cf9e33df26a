package dev.outbox.internal.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ErrorClassesTest {

    @Test
    void everythingIsRetryableThatIsListedNowhere() {
        ErrorClasses errors = new ErrorClasses(Set.of(), Set.of(IllegalArgumentException.class));

        assertThat(ErrorClasses.NONE.isRetryable(new IllegalArgumentException()))
                .isTrue();
        assertThat(errors.isRetryable(new IOException())).isTrue();
        assertThat(errors.isRetryable(new StackOverflowError())).isTrue();
        assertThat(errors.isRetryable(new IllegalArgumentException())).isFalse();
    }

    @Test
    void listedClassStandsForItsSubclasses() {
        ErrorClasses errors = new ErrorClasses(Set.of(), Set.of(IOException.class));

        assertThat(errors.isRetryable(new ConnectException())).isFalse();
        assertThat(errors.isRetryable(new Exception())).isTrue();
    }

    @Test
    void mostSpecificListedClassDecides() {
        ErrorClasses errors = new ErrorClasses(
                Set.of(SocketException.class, Throwable.class),
                Set.of(IOException.class, NoRouteToHostException.class));

        assertThat(errors.isRetryable(new FileNotFoundException())).isFalse();
        assertThat(errors.isRetryable(new ConnectException())).isTrue();
        assertThat(errors.isRetryable(new NoRouteToHostException())).isFalse();
        assertThat(errors.isRetryable(new IllegalStateException())).isTrue();
    }

    @Test
    void causesAreJudgedWhereTheExceptionItselfIsNotListed() {
        ErrorClasses errors = new ErrorClasses(
                Set.of(UncheckedIOException.class), Set.of(IOException.class, ArithmeticException.class));

        assertThat(errors.isRetryable(new IllegalStateException(new RuntimeException(new IOException()))))
                .isFalse();
        assertThat(errors.isRetryable(new UncheckedIOException(new IOException())))
                .as("the exception itself is listed")
                .isTrue();
        assertThat(errors.isRetryable(new IllegalStateException(new UncheckedIOException(new IOException()))))
                .as("the nearest cause that is listed")
                .isTrue();
        assertThat(errors.isRetryable(new IllegalStateException(new IllegalStateException())))
                .isTrue();
    }

    @Test
    @Timeout(60)
    void causesThatGoRoundInACircleComeToAnEnd() {
        Exception one = new Exception();
        Exception other = new Exception(one);
        one.initCause(other);

        assertThat(new ErrorClasses(Set.of(), Set.of(IOException.class)).isRetryable(one))
                .isTrue();
    }

    @Test
    void classInBothListsIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ErrorClasses(
                        Set.of(IOException.class, Error.class), Set.of(IOException.class, Error.class)))
                .withMessage("nonRetryable must not hold what retryable holds: [java.io.IOException, java.lang.Error]");
    }

    @Test
    @SuppressWarnings("unchecked") // as a class that was read by its name
    void classThatIsNoExceptionIsRefused() {
        Class<? extends Throwable> text = (Class<? extends Throwable>) (Class<?>) String.class;

        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ErrorClasses(Set.of(), Set.of(text)))
                .withMessage("nonRetryable must hold none but exceptions: java.lang.String");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ErrorClasses(Set.of(text), Set.of()))
                .withMessageContaining("retryable must");
    }
}
