// Predicts the point-to-point series of the measured testbed with ns-3's TCP: testbed LIBRARY BENCH BYTES [--repeats=N] [--seed=N].
//
// 16 hosts on one router; each direction of a cable is a drop-tail queue of 10 Mbit/s and 200 us. The messages of MPI travel as byte counts in one TCP
// connection per pair of hosts, with the protocol of the library:
//   ompi    up to 65,472 B eager; then request, grant, data, FIN; a send has ended when its last byte is in the socket's buffer
//   mpich   below 19,523 bytes eager; then request, grant, data, answer, notice; a send has ended at the answer
// Nothing is fitted: headers (24 B), control messages (80 B) and software times (22 and 5 us) are those of the measurement.
//
// Prints LIBRARY,BENCH,BYTES,seconds per repeat: of the slowest rank, from a start common to all; ranks start up to 0.1 ms late.

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <deque>
#include <functional>
#include <iostream>
#include <map>
#include <memory>

using namespace ns3;

namespace
{

constexpr int RANKS = 16;
constexpr uint16_t PORT = 5000;
constexpr uint32_t HEADER = 24, CONTROL = 80;
constexpr double PAUSE = 0.04, LATEST_START = 1e-4;

/// How a library sends messages.
struct Protocol
{
    uint32_t smallestRendezvous;
    bool answered; // the receiver answers the data, and waits for a notice
    double software;
};

const std::map<std::string, Protocol> PROTOCOLS = {{"ompi", {65481, false, 22e-6}}, {"mpich", {19523, true, 5e-6}}};

/// What ranks do between two instants at which they wait for everything: receives (sources), then sends (target, bytes).
struct Step
{
    std::vector<int> receives;
    std::vector<std::pair<int, uint32_t>> sends;
};

using Program = std::vector<Step>;

enum class Kind
{
    Eager,
    Request,
    Grant,
    Data,
    End, // FIN of Open MPI, the last notice of MPICH
    Answer,
};

class Rank;

/// A message of MPI, from its start to its end.
struct Message
{
    Rank* source;
    Rank* target;
    uint32_t bytes;
};

using MessagePtr = std::shared_ptr<Message>;

/// A part of a byte stream.
struct Part
{
    Kind kind;
    MessagePtr message;
    uint32_t bytes; // not yet written, or not yet read
};

/// One end of a connection.
class End
{
  public:
    void Open(Rank* owner, Ptr<Socket> socket);

    void SetPeer(End* peer)
    {
        m_peer = peer;
    }

    void Write(Kind kind, MessagePtr message, uint32_t bytes);

  private:
    void Push();
    void Pull(Ptr<Socket> socket);

    Rank* m_owner = nullptr;
    End* m_peer = nullptr;
    Ptr<Socket> m_socket;
    std::deque<Part> m_out; // what the socket has not taken yet
    std::deque<Part> m_in;  // what the peer has written and has not arrived
};

/// A rank: executes a program, matches messages by source.
class Rank
{
  public:
    Rank(int number, const Protocol& protocol)
        : m_number(number),
          m_protocol(protocol)
    {
    }

    End& To(int peer)
    {
        return m_ends[peer];
    }

    void Start(const Program& program, Rank* ranks, std::function<void()> ended);
    void Written(Kind kind, MessagePtr message);
    void Arrived(Kind kind, MessagePtr message);

  private:
    void Advance();
    void Later(std::function<void()> action);
    void Send(Rank* target, uint32_t bytes);
    void Receive(int source);
    void Match(Kind kind, MessagePtr message);
    void Complete();

    int m_number;
    Protocol m_protocol;
    End m_ends[RANKS];
    Rank* m_ranks = nullptr;
    Program m_program;
    size_t m_step = 0;
    int m_open = 0;
    Time m_busy;
    std::function<void()> m_ended;
    std::map<int, int> m_posted;
    std::map<int, std::deque<std::pair<Kind, MessagePtr>>> m_unexpected;
};

void
End::Open(Rank* owner, Ptr<Socket> socket)
{
    m_owner = owner;
    m_socket = socket;
    socket->SetRecvCallback(MakeCallback(&End::Pull, this));
    socket->SetSendCallback(Callback<void, Ptr<Socket>, uint32_t>([this](Ptr<Socket>, uint32_t) { Push(); }));
}

void
End::Write(Kind kind, MessagePtr message, uint32_t bytes)
{
    m_out.push_back({kind, message, bytes});
    m_peer->m_in.push_back({kind, message, bytes});
    Push();
}

void
End::Push()
{
    while (!m_out.empty())
    {
        Part& part = m_out.front();
        uint32_t fits = std::min(part.bytes, m_socket->GetTxAvailable());
        if (fits == 0 || m_socket->Send(Create<Packet>(fits)) <= 0)
        {
            return;
        }
        part.bytes -= fits;
        if (part.bytes == 0)
        {
            Part written = part;
            m_out.pop_front();
            m_owner->Written(written.kind, written.message);
        }
    }
}

void
End::Pull(Ptr<Socket> socket)
{
    while (Ptr<Packet> packet = socket->Recv())
    {
        uint32_t arrived = packet->GetSize();
        while (arrived > 0)
        {
            Part& part = m_in.front();
            uint32_t taken = std::min(arrived, part.bytes);
            arrived -= taken;
            part.bytes -= taken;
            if (part.bytes == 0)
            {
                Part whole = part;
                m_in.pop_front();
                m_owner->Arrived(whole.kind, whole.message);
            }
        }
    }
}

void
Rank::Start(const Program& program, Rank* ranks, std::function<void()> ended)
{
    m_program = program;
    m_ranks = ranks;
    m_ended = ended;
    m_step = 0;
    Advance();
}

void
Rank::Advance()
{
    if (m_step == m_program.size())
    {
        m_ended();
        return;
    }
    const Step& step = m_program[m_step++];
    m_open = 1 + step.receives.size() + step.sends.size();
    for (int source : step.receives)
    {
        Receive(source);
    }
    for (auto [target, bytes] : step.sends)
    {
        Rank* rank = &m_ranks[target];
        uint32_t size = bytes;
        Later([this, rank, size] { Send(rank, size); });
    }
    Complete();
}

/// The software of a rank handles one message after the other.
void
Rank::Later(std::function<void()> action)
{
    m_busy = std::max(m_busy, Simulator::Now()) + Seconds(m_protocol.software);
    Simulator::Schedule(m_busy - Simulator::Now(), action);
}

void
Rank::Send(Rank* target, uint32_t bytes)
{
    auto message = std::make_shared<Message>(Message{this, target, bytes});
    bool eager = bytes < m_protocol.smallestRendezvous;
    To(target->m_number).Write(eager ? Kind::Eager : Kind::Request, message, eager ? bytes + HEADER : CONTROL);
}

void
Rank::Receive(int source)
{
    m_posted[source]++;
    auto& waiting = m_unexpected[source];
    if (!waiting.empty())
    {
        auto [kind, message] = waiting.front();
        waiting.pop_front();
        Match(kind, message);
    }
}

/// A message meets the receive that waits for it.
void
Rank::Match(Kind kind, MessagePtr message)
{
    m_posted[message->source->m_number]--;
    if (kind == Kind::Eager)
    {
        Complete();
    }
    else
    {
        To(message->source->m_number).Write(Kind::Grant, message, CONTROL);
    }
}

/// The socket has taken the last byte of a part.
void
Rank::Written(Kind kind, MessagePtr message)
{
    if (kind == Kind::Data && !m_protocol.answered)
    {
        To(message->target->m_number).Write(Kind::End, message, CONTROL);
    }
    if (kind == Kind::Eager || (kind == Kind::Data && !m_protocol.answered))
    {
        Complete();
    }
}

void
Rank::Arrived(Kind kind, MessagePtr message)
{
    int source = message->source->m_number, target = message->target->m_number;
    switch (kind)
    {
    case Kind::Eager:
    case Kind::Request:
        if (m_posted[source] > 0)
        {
            Match(kind, message);
        }
        else
        {
            m_unexpected[source].push_back({kind, message});
        }
        break;
    case Kind::Grant:
        To(target).Write(Kind::Data, message, message->bytes + HEADER);
        break;
    case Kind::Data:
        if (m_protocol.answered)
        {
            To(source).Write(Kind::Answer, message, CONTROL);
        }
        break;
    case Kind::Answer:
        To(target).Write(Kind::End, message, CONTROL);
        Complete();
        break;
    case Kind::End:
        Complete();
        break;
    }
}

void
Rank::Complete()
{
    if (--m_open == 0)
    {
        Simulator::ScheduleNow(&Rank::Advance, this);
    }
}

Program
PingPong(int me, uint32_t bytes)
{
    if (me == 0)
    {
        return {{{}, {{1, bytes}}}, {{1}, {}}};
    }
    return me == 1 ? Program{{{0}, {}}, {{}, {{0, bytes}}}} : Program{};
}

Program
ScatterBinomial(int me, uint32_t bytes)
{
    Program program;
    int mask = 1;
    while (mask < RANKS && !(me & mask))
    {
        mask <<= 1;
    }
    if (me)
    {
        program.push_back({{me - mask}, {}});
    }
    for (mask >>= 1; mask; mask >>= 1)
    {
        program.push_back({{}, {{me + mask, mask * bytes}}});
    }
    return program;
}

Program
Pairwise(int me, uint32_t bytes)
{
    Program program;
    for (int step = 1; step < RANKS; step++)
    {
        program.push_back({{(me - step + RANKS) % RANKS}, {{(me + step) % RANKS, bytes}}});
    }
    return program;
}

Program
Halo(int me, uint32_t bytes)
{
    int x = me % 4, y = me / 4;
    int right = y * 4 + (x + 1) % 4, left = y * 4 + (x + 3) % 4, down = (y + 1) % 4 * 4 + x, up = (y + 3) % 4 * 4 + x;
    Step step{{left, right, up, down}, {{right, bytes}, {left, bytes}, {down, bytes}, {up, bytes}}};
    return Program(5, step);
}

Program
Incast(int me, uint32_t bytes)
{
    if (me)
    {
        return {{{}, {{0, bytes}}}};
    }
    Step step;
    for (int rank = 1; rank < RANKS; rank++)
    {
        step.receives.push_back(rank);
    }
    return {step};
}

Program
Ring(int me, uint32_t bytes)
{
    return Program(8, Step{{(me + RANKS - 1) % RANKS}, {{(me + 1) % RANKS, bytes}}});
}

struct Bench
{
    Program (*program)(int, uint32_t);
    double divisor;
};

const std::map<std::string, Bench> BENCHES = {
    {"pingpong", {PingPong, 2}},
    {"scatter_bin", {ScatterBinomial, 1}},
    {"alltoall_pw", {Pairwise, 1}},
    {"halo2d", {Halo, 5}},
    {"incast", {Incast, 1}},
    {"ring", {Ring, 1}},
};

void
ConfigureTcp()
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpCubic::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::TcpNoDelay", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(MilliSeconds(40)));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(131072));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(4 << 20));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
}

/// Hosts, the router, and their addresses. Frames of ns-3 have 12 B less of header than Ethernet's: a gap of 12 B after each frame, and
/// the same time more of delay, give each of them its place.
std::vector<Ipv4Address>
Build(NodeContainer& hosts)
{
    NodeContainer router(1);
    hosts.Create(RANKS);
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.Install(hosts);
    stack.Install(router);
    PointToPointHelper cable;
    cable.SetDeviceAttribute("DataRate", StringValue("10Mbps"));
    cable.SetDeviceAttribute("InterframeGap", TimeValue(NanoSeconds(9600)));
    cable.SetChannelAttribute("Delay", TimeValue(NanoSeconds(209600)));
    cable.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("1048576B"));
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    std::vector<Ipv4Address> all;
    for (int rank = 0; rank < RANKS; rank++)
    {
        NetDeviceContainer ends = cable.Install(hosts.Get(rank), router.Get(0));
        Ipv4InterfaceContainer own = addresses.Assign(ends);
        TrafficControlHelper().Uninstall(ends);
        addresses.NewNetwork();
        Ipv4StaticRoutingHelper().GetStaticRouting(hosts.Get(rank)->GetObject<Ipv4>())->SetDefaultRoute(own.GetAddress(1), 1);
        all.push_back(own.GetAddress(0));
    }
    return all;
}

/// Opens a connection per pair: the smaller rank listens at a port for each of the larger ones.
void
Connect(const NodeContainer& hosts, const std::vector<Ipv4Address>& addresses, std::vector<Rank>& ranks)
{
    for (int low = 0; low < RANKS; low++)
    {
        for (int high = low + 1; high < RANKS; high++)
        {
            ranks[low].To(high).SetPeer(&ranks[high].To(low));
            ranks[high].To(low).SetPeer(&ranks[low].To(high));
            Ptr<Socket> listener = Socket::CreateSocket(hosts.Get(low), TcpSocketFactory::GetTypeId());
            listener->Bind(InetSocketAddress(Ipv4Address::GetAny(), PORT + high));
            listener->Listen();
            Rank* owner = &ranks[low];
            listener->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                        Callback<void, Ptr<Socket>, const Address&>([owner, high](Ptr<Socket> accepted, const Address&) { owner->To(high).Open(owner, accepted); }));
            Ptr<Socket> socket = Socket::CreateSocket(hosts.Get(high), TcpSocketFactory::GetTypeId());
            socket->Bind();
            socket->Connect(InetSocketAddress(addresses[low], PORT + high));
            ranks[high].To(low).Open(&ranks[high], socket);
        }
    }
}

/// Runs a bench again and again; the first time is not counted.
class Repeats
{
  public:
    Repeats(std::vector<Rank>& ranks, const Bench& bench, uint32_t bytes, int count)
        : m_ranks(ranks),
          m_bench(bench),
          m_bytes(bytes),
          m_left(count + 1)
    {
    }

    void Begin()
    {
        m_running = RANKS;
        m_began = Simulator::Now();
        for (int rank = 0; rank < RANKS; rank++)
        {
            // The time of a ping-pong is that of rank 0 alone.
            double late = m_bench.program == PingPong ? 0 : m_random->GetValue(0, LATEST_START);
            Simulator::Schedule(Seconds(late), [this, rank] {
                m_ranks[rank].Start(m_bench.program(rank, m_bytes), m_ranks.data(), [this] { Ended(); });
            });
        }
    }

    std::vector<double> seconds;

  private:
    void Ended()
    {
        if (--m_running == 0)
        {
            seconds.push_back((Simulator::Now() - m_began).GetSeconds() / m_bench.divisor);
            if (--m_left > 0)
            {
                Simulator::Schedule(Seconds(PAUSE), &Repeats::Begin, this);
            }
        }
    }

    std::vector<Rank>& m_ranks;
    Bench m_bench;
    uint32_t m_bytes;
    int m_left, m_running = 0;
    Time m_began;
    Ptr<UniformRandomVariable> m_random = CreateObject<UniformRandomVariable>();
};

} // namespace

int
main(int argc, char** argv)
{
    std::string library = "ompi", bench = "pingpong";
    uint32_t bytes = 1, repeats = 3, seed = 1;
    CommandLine line;
    line.AddNonOption("library", "ompi or mpich", library);
    line.AddNonOption("bench", "pingpong, scatter_bin, alltoall_pw, halo2d, incast or ring", bench);
    line.AddNonOption("bytes", "of a message", bytes);
    line.AddValue("repeats", "that are measured", repeats);
    line.AddValue("seed", "of the starts of ranks", seed);
    line.Parse(argc, argv);
    RngSeedManager::SetRun(seed);
    ConfigureTcp();
    NodeContainer hosts;
    std::vector<Ipv4Address> addresses = Build(hosts);
    std::vector<Rank> ranks;
    for (int rank = 0; rank < RANKS; rank++)
    {
        ranks.emplace_back(rank, PROTOCOLS.at(library));
    }
    Connect(hosts, addresses, ranks);
    Repeats all(ranks, BENCHES.at(bench), bytes, repeats);
    Simulator::Schedule(Seconds(1), &Repeats::Begin, &all);
    Simulator::Run();
    if (all.seconds.size() != repeats + 1)
    {
        std::cerr << "the exchange did not end" << std::endl;
        return 1;
    }
    for (size_t i = 1; i < all.seconds.size(); i++)
    {
        std::cout << library << ',' << bench << ',' << bytes << ',' << all.seconds[i] << std::endl;
    }
    Simulator::Destroy();
    return 0;
}
