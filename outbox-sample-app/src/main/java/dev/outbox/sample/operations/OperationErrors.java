package dev.outbox.sample.operations;

import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.UnknownHandlerException;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Tells operators why the outbox refused what they asked for. */
@RestControllerAdvice
final class OperationErrors {

    @ExceptionHandler
    ProblemDetail unknown(UnknownHandlerException refusal) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, refusal.getMessage());
    }

    @ExceptionHandler
    ProblemDetail invalid(InvalidOperationException refusal) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, refusal.getMessage());
    }
}
