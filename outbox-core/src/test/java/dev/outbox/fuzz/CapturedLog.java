package dev.outbox.fuzz;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** Everything that the library logs on all levels, with stack traces and log context. */
final class CapturedLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {

    private final LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    private final Logger library = context.getLogger("dev.outbox");
    private final Map<Logger, Level> levels = new HashMap<>();
    private final List<String> lines = new CopyOnWriteArrayList<>();

    CapturedLog() {
        setContext(context);
        start();
        for (Logger logger : context.getLoggerList()) {
            if (logger.getName().startsWith("dev.outbox") && logger.getLevel() != null) {
                levels.put(logger, logger.getLevel());
                logger.setLevel(Level.TRACE);
            }
        }
        levels.put(library, library.getLevel());
        library.setLevel(Level.TRACE);
        library.setAdditive(false);
        library.addAppender(this);
    }

    @Override
    protected void append(ILoggingEvent event) {
        String trace = event.getThrowableProxy() == null ? "" : ThrowableProxyUtil.asString(event.getThrowableProxy());
        lines.add(
                event.getLevel() + " " + event.getFormattedMessage() + " " + event.getMDCPropertyMap() + "\n" + trace);
    }

    List<String> lines() {
        return List.copyOf(lines);
    }

    @Override
    public void close() {
        library.detachAppender(this);
        library.setAdditive(true);
        levels.forEach(Logger::setLevel);
    }
}
