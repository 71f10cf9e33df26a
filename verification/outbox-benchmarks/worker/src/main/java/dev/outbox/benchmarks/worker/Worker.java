package dev.outbox.benchmarks.worker;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.ref.Reference;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.rmi.server.RMIServerSocketFactory;
import java.rmi.server.UnicastRemoteObject;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** Main class of the process: reads an {@link Opening} from standard input, and answers with the stub of a {@link RemoteWorker}. */
public final class Worker implements RemoteWorker {

    private static final RMIServerSocketFactory THIS_MACHINE =
            (port) -> new ServerSocket(port, 0, InetAddress.getLoopbackAddress());

    /** The most entries of a journal. */
    private static final int CAPACITY = 8_000_000;

    private final Contestant contestant;
    private final Accounts accounts;
    private final Publishing publishing;

    private Worker(Opening opening) throws Exception {
        Handling handling = new Handling(opening.role().calls(), journal(opening, "handled"));
        this.contestant = Class.forName(opening.contestant())
                .asSubclass(Contestant.class)
                .getConstructor(Setup.class)
                .newInstance(new Setup(
                        opening.url(), opening.tuned(), opening.role(), handling, journal(opening, "claims")));
        this.accounts = new Accounts(new JdbcTemplate(contestant.bean(DataSource.class)));
        this.publishing = new Publishing(contestant, accounts, journal(opening, "committed"));
    }

    private static Journal journal(Opening opening, String name) throws IOException {
        return Journal.create(Path.of(opening.journals(), name), CAPACITY);
    }

    /** Runs until the controller ends. */
    public static void main(String[] arguments) {
        PrintStream controller = System.out;
        System.setOut(System.err);
        try {
            Worker worker = new Worker((Opening) new ObjectInputStream(System.in).readObject());
            try {
                ObjectOutputStream answer = new ObjectOutputStream(controller);
                answer.writeObject(UnicastRemoteObject.exportObject(worker, 0, null, THIS_MACHINE));
                answer.flush();
                while (System.in.read() >= 0) {
                    // The controller writes nothing else.
                }
            } finally {
                Reference.reachabilityFence(worker);
            }
        } catch (Exception ex) {
            ex.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
        // Threads of a contestant may outlive its close; the process must not.
        Runtime.getRuntime().halt(0);
    }

    @Override
    public Map<String, String> settings() {
        return contestant.settings();
    }

    @Override
    public String pending() {
        return contestant.pending();
    }

    @Override
    public void createAccounts(int number) {
        accounts.create(number);
    }

    @Override
    public void publishBacklog(int events, int firstKey, int keys) throws Exception {
        publishing.publishBacklog(events, firstKey, keys);
    }

    @Override
    public Published publish(int threads, int keys, boolean shared, int seconds) throws Exception {
        return publishing.publish(threads, keys, shared, seconds);
    }

    @Override
    public Published publishAtRate(int rate, int threads, int keys, int seconds) throws Exception {
        return publishing.publishAtRate(rate, threads, keys, seconds);
    }

    @Override
    public void start() {
        contestant.start();
    }

    @Override
    public long perform(String task) throws Exception {
        return contestant.perform(task);
    }

    @Override
    public long liveHeap() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    @Override
    public void close() {
        contestant.close();
    }
}
